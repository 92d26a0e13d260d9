import test from 'ava';
import { eventLine } from '../../../src/report/event-line.ts';
import { decisionEvents, stepEvent, type TickEvent } from '../../../src/report/events.ts';
import type { Decision } from '../../../src/rollout/types.ts';
import { instant, percent } from '../../../src/units.ts';
import { matchesGolden } from './golden.ts';
import { candidate, plan, stable, steps } from './plans.ts';

const time = '2026-11-20T14:02:11Z';
const of = { time, release: 'shop', cluster: 'here' };
const target = { weight: percent(0), pods: {} };
const closing = { ...candidate, as: 'held', reason: 'errors: 31 %', at: instant(time) } as const;

const tells = test.macro((t, decision: Decision, then: readonly Partial<TickEvent>[], closed = false) => {
  const record = plan.records['here'];
  if (!record) return t.fail();
  const given = { ...plan, decisions: { here: decision }, records: { here: { ...record, closed: closed ? [closing] : [] } } };
  const [first, ...rest] = decisionEvents(given, time);
  t.deepEqual(first, { ...of, event: 'decided', to: decision.to, because: decision.because });
  t.deepEqual(rest as Partial<TickEvent>[], then.map((event) => ({ ...of, ...event })) as Partial<TickEvent>[]);
});

test('given a wait, then it is told once, with what for', (t) =>
  t.deepEqual(decisionEvents(plan, time), [{ ...of, event: 'waiting', for: 'gate', because: 'latency: 12 of 30 seconds seen' }]));
test('given a first version that is up, then it is installed', tells, { to: 'settle', version: stable, because: 'it is up' }, [
  { event: 'installed', revision: stable.revision },
]);
test(
  'given a target with another weight, then the weight is told',
  tells,
  { to: 'move', target: { ...target, weight: percent(50) }, because: 'ready' },
  [{ event: 'weight', from: 10, to: 50, because: 'ready' }],
);
test(
  'given a target with the same weight, then no weight is told',
  tells,
  { to: 'move', target: { ...target, weight: percent(10) }, because: 'pods first' },
  [],
);
test('given an abort, then the hold is told before the weight', tells, { to: 'abort', closing, target, because: 'errors: 31 %' }, [
  { event: 'held', revision: candidate.revision, because: 'errors: 31 %' },
  { event: 'weight', from: 10, to: 0, because: 'errors: 31 %' },
]);
test(
  'given an abort of what the record holds already, then the hold is not told twice',
  tells,
  { to: 'abort', closing, because: 'errors: 31 %' },
  [],
  true,
);
test(
  'given stable that runs what was promoted, then it is promoted',
  tells,
  { to: 'finish', version: candidate, because: 'the sibling has gone' },
  [{ event: 'promoted', revision: candidate.revision }],
);

const every: readonly TickEvent[] = [
  { time, event: 'looked', commit: candidate.commit, releases: 1 },
  ...decisionEvents(plan, time),
  ...decisionEvents({ ...plan, decisions: { here: { to: 'abort', closing, target, because: 'errors: 31 %' } } }, time),
  ...steps.flatMap((step) => (step.do === 'propose' ? [] : [stepEvent(step, 'shop', time)])),
  { ...of, event: 'installed', revision: stable.revision },
  { ...of, event: 'entered', weight: 10, because: 'the router proved it' },
  { ...of, event: 'promoted', revision: candidate.revision },
  {
    time,
    release: 'shop',
    event: 'pull-request-opened',
    kind: 'advance',
    number: 3,
    title: 'shop: canary 10 % → 50 %',
    url: 'https://example.com/3',
    branch: 'serin/x',
  },
  { time, release: 'shop', event: 'pull-request-merged', number: 3, because: 'automatic' },
  { time, event: 'failed', release: 'shop', code: 'E_CONFLICT', message: 'somebody was faster', hint: 'the next tick looks again' },
];
test('given one of each event, then the lines read as the golden file', (t) =>
  matchesGolden(t, 'events.txt', `${every.map((event) => eventLine(event, { colour: false })).join('\n')}\n`));
