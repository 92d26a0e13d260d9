import test from 'ava';
import type { RenderedSet, Revision, Sha } from '../../../src/desired/types.ts';
import { differences } from '../../../src/merge/difference.ts';
import { encodeLastApplied, forCreation } from '../../../src/merge/last-applied.ts';
import { type KubeObject, keyOf, refOf, SERIN } from '../../../src/objects.ts';
import { applySetId } from '../../../src/plan/parent.ts';
import type { PlanStep, ReleasePlan } from '../../../src/plan/types.ts';
import { writesFor } from '../../../src/plan/writes.ts';
import { eventLine } from '../../../src/report/event-line.ts';
import { stepEvent } from '../../../src/report/events.ts';
import { planText } from '../../../src/report/plan.ts';
import { planJson } from '../../../src/report/plan-json.ts';
import { stepSummary } from '../../../src/report/summary.ts';
import type { Instant } from '../../../src/units.ts';
import { compose } from '../../../src/versions/compose.ts';

/** Words that must not be seen anywhere that a person or a machine reads serin, plain or in base64. */
const CANARIES = ['tweet-before', 'tweet-after', 'tweet-drifted', 'tweet-new'] as const;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const secret = (name: string, value: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  data: { password: base64(value) },
  stringData: { token: value },
});
const release = { name: 'shop', namespace: 'shop', canary: undefined } as never;
const head: RenderedSet = {
  revision: 'aaaaaaaaaa' as Revision,
  commit: 'c'.repeat(40) as Sha,
  objects: [secret('known', 'tweet-after'), secret('fresh', 'tweet-new')],
};

/** A Secret that was applied with one value, and that somebody has since given another. */
function live(): KubeObject {
  const old = secret('known', 'tweet-before');
  const made = forCreation(old, old);
  return {
    ...made,
    metadata: { ...made.metadata, resourceVersion: '1', labels: { [SERIN.partOf]: applySetId(release) } },
    data: { password: base64('tweet-drifted'), token: base64('tweet-before') },
    stringData: undefined,
  };
}

function plan(): ReleasePlan {
  const here = live();
  const look = {
    name: 'here',
    wave: 'all',
    parent: undefined,
    live: new Map([[keyOf(refOf(here)), here]]),
    schemaOf: () => undefined,
    now: 0 as Instant,
  };
  const composed = compose({ release, stable: head, beside: undefined, target: undefined, applySet: applySetId(release) });
  const { steps } = writesFor(look, composed, applySetId(release), 'if-unowned');
  return {
    release: 'shop',
    head: undefined,
    stable: undefined,
    decisions: { here: { to: 'keep', because: 'x' } },
    observed: {},
    records: {},
    readings: [],
    steps,
    again: 'at once',
    otherwise: 'next run',
    notes: [],
  };
}

const silent = test.macro((t, say: (plan: ReleasePlan) => string) => {
  const given = plan();
  t.deepEqual(given.steps.map((step) => step.do).sort(), ['create', 'patch'], 'the plan holds a new Secret and a changed one');
  const said = say(given);
  t.true(said.length > 20, said);
  for (const canary of CANARIES) for (const form of [canary, base64(canary)]) t.false(said.includes(form), `${form} in: ${said}`);
});

const toCluster = (step: PlanStep): step is Exclude<PlanStep, { do: 'propose' }> => step.do !== 'propose';
test('given Secrets that are made and changed, then a plan in words does not show their values', silent, (p) =>
  planText(p, { colour: false }),
);
test('given Secrets that are made and changed, then a plan as JSON does not show their values', silent, (p) => JSON.stringify(planJson(p)));
test('given Secrets that are made and changed, then the events of a tick do not show their values', silent, (p) =>
  p.steps
    .filter(toCluster)
    .map((step) => JSON.stringify(stepEvent(step, 'shop', 'now')))
    .join('\n'),
);
test('given Secrets that are made and changed, then the lines of a tick do not show their values', silent, (p) =>
  p.steps
    .filter(toCluster)
    .map((step) => eventLine(stepEvent(step, 'shop', 'now'), { colour: false }))
    .join('\n'),
);
test('given Secrets that are made and changed, then the summary of an Actions run does not show their values', silent, (p) =>
  stepSummary([p]),
);
test(
  'given a Secret, then the copy of what was applied has its keys and none of its values',
  silent,
  (p) =>
    p.steps.map((step) => (step.do === 'create' ? step.object.metadata.annotations?.[SERIN.lastApplied] : '')).join('') +
    encodeLastApplied(secret('known', 'tweet-after')),
);
test('given two versions of a Secret, then the lines that a request shows of them have no values', silent, () =>
  JSON.stringify(differences(secret('known', 'tweet-before'), secret('known', 'tweet-after'))),
);
