import test from 'ava';
import type { CanaryStrategy, Revision, Rollout, Sha } from '../../../src/desired/types.ts';
import { ceiling } from '../../../src/rollout/ceiling.ts';
import { decide } from '../../../src/rollout/decide.ts';
import { remember } from '../../../src/rollout/remember.ts';
import type { Live, Situation } from '../../../src/rollout/situation.ts';
import type { CandidateRecord, Decision, Reading, ReleaseRecord, Version } from '../../../src/rollout/types.ts';
import { type Instant, percent, seconds } from '../../../src/units.ts';
import { seen, side } from './observed.ts';

const version = (name: string): Version => ({ revision: name as Revision, commit: `commit-of-${name}` as Sha });
const old = version('old');
const next = version('new');
const at = (t: number) => t as Instant;
const canary: CanaryStrategy = {
  naming: 'sibling',
  capacity: 'light',
  traffic: [],
  steps: [10, 50, 100].map((weight) => ({ weight: percent(weight), hold: seconds(60), gates: ['errors'] })),
  promotion: 'pull-request',
  maxAge: seconds(86_400),
};
const pass: Reading = { verdict: 'pass', gate: 'errors', saw: '0.1 %' };
const waiting: Reading = { verdict: 'wait', gate: 'errors', saw: '2 of 3 points', lookAgainIn: seconds(60) };
const fail: Reading = { verdict: 'fail', gate: 'errors', saw: '3.1 % of 4,120 requests, stable 0.2 %' };
const runs: Live = { empty: false, stable: old.revision, stableReady: true, sibling: undefined };
const carried: ReleaseRecord = { stable: old, closed: [], carried: [old.revision] };
const walking = (entered: readonly (readonly [number, number])[] = []): CandidateRecord => ({
  ...next,
  startedAt: at(0),
  sizes: { shop: 4 },
  entered: entered.map(([weight, t]) => ({ weight: percent(weight), at: at(t) })),
});
const rollout = (weight?: number, more: Partial<Rollout> = {}): Rollout => ({
  stable: old,
  held: [],
  ...(weight === undefined ? {} : { canary: { ...next, wave: 'all', weight: percent(weight) } }),
  ...more,
});

/** A release whose head is new while stable is old, with nothing of the candidate there yet. */
const given = (more: Partial<Situation> = {}): Situation => ({
  canary,
  head: next,
  rollout: rollout(),
  rolloutMistake: undefined,
  record: carried,
  observed: seen(0, side(4), side(0)),
  live: runs,
  sizes: { shop: 4 },
  readings: [],
  rollbackBranch: false,
  allowed: percent(10),
  mayRaise: true,
  now: at(1000),
  ...more,
});
/** The candidate at 10 %, entered at 900. */
const atTen = (more: Partial<Situation> = {}): Situation =>
  given({
    record: { ...carried, candidate: walking([[10, 900]]) },
    observed: seen(10, side(4), side(1)),
    live: { ...runs, sibling: next.revision },
    readings: [pass],
    ...more,
  });

const decides = test.macro((t, situation: Situation, to: Decision['to'], because: RegExp) => {
  const decision = decide(situation);
  t.is(decision.to, to, decision.because);
  t.regex(decision.because, because);
});

test(
  'given an empty cluster and no rollout.yaml, then head is installed',
  decides,
  given({
    rollout: undefined,
    record: { closed: [], carried: [] },
    live: { empty: true, stable: undefined, stableReady: true, sibling: undefined },
  }),
  'install',
  /nothing runs yet/,
);
test(
  'given a first install that is up, then it is written down',
  decides,
  given({ rollout: undefined, record: { closed: [], carried: [] }, live: { ...runs, stable: next.revision } }),
  'settle',
  /new is up/,
);
test(
  'given an install without its record request merged, then nothing new starts',
  decides,
  given({ rollout: undefined }),
  'keep',
  /before its record request is merged/,
);
test(
  'given a rebuilt cluster, then stable comes first, not head',
  decides,
  given({ record: { closed: [], carried: [] }, live: { empty: true, stable: undefined, stableReady: true, sibling: undefined } }),
  'install',
  /Git's stable is old/,
);
test('given head is stable, then nothing happens', decides, given({ head: old }), 'keep', /as Git has it/);
test('given a new revision, then it is written to the record before its first pod', decides, given(), 'start', /renders new, which is new/);
test(
  'given a started candidate, then its first pods come before its traffic',
  decides,
  given({ record: { ...carried, candidate: walking() } }),
  'move',
  /pods for 10 % come before/,
);
test(
  'given the weight proven and not entered, then its clock starts',
  decides,
  atTen({ record: { ...carried, candidate: walking() } }),
  'enter',
  /proved 10 %/,
);
test('given a hold that is not over, then it waits for time', decides, atTen({ now: at(930) }), 'wait', /held for 1m, 30s to go/);
test(
  'given a hold over and a gate waiting, then it waits for the gate',
  decides,
  atTen({ readings: [waiting] }),
  'wait',
  /errors: 2 of 3 points/,
);
test('given a ripe step and no merge yet, then it waits for a person', decides, atTen(), 'wait', /Git allows 10 %/);
test(
  'given a ripe step and the next one merged, then pods for it come',
  decides,
  atTen({ allowed: percent(50), rollout: rollout(50) }),
  'move',
  /pods for 50 %/,
);
test(
  'given a merge to 100 % at 10 %, then it still takes the step between',
  decides,
  atTen({ allowed: percent(100), rollout: rollout(100) }),
  'move',
  /pods for 50 %/,
);
test(
  'given a tick that has raised exposure already, then it waits',
  decides,
  atTen({ allowed: percent(50), rollout: rollout(50), mayRaise: false }),
  'wait',
  /at most once per tick/,
);
test(
  'given a line merged before the gate has passed, then the gate is waited for',
  decides,
  atTen({ allowed: percent(50), rollout: rollout(50), readings: [waiting] }),
  'wait',
  /2 of 3 points/,
);
test(
  'given gates skipped by a person with a reason, then the step is ripe',
  decides,
  atTen({
    allowed: percent(50),
    rollout: rollout(50, { canary: { ...next, wave: 'all', weight: percent(50), skipGates: 'hotfix 12' } }),
    readings: [waiting],
  }),
  'move',
  /pods for 50 %/,
);
test(
  'given a failing gate and a line merged a moment ago, then failing wins',
  decides,
  atTen({ allowed: percent(50), rollout: rollout(50), readings: [waiting, fail] }),
  'abort',
  /held new: errors: 3.1 % of 4,120 requests, stable 0.2 %/,
);
test(
  'given Git lowered below the live weight, then stable rises first',
  decides,
  atTen({
    observed: seen(50, side(2), side(2)),
    record: {
      ...carried,
      candidate: walking([
        [10, 100],
        [50, 900],
      ]),
    },
  }),
  'move',
  /pods for 10 %/,
);
test('given a candidate older than maxAge, then it is held', decides, atTen({ now: at(86_401) }), 'abort', /maxAge is 1d/);
test(
  'given head back at stable in mid-roll-out, then the candidate is withdrawn',
  decides,
  atTen({ head: old }),
  'abort',
  /withdrawn new: Git has moved on to old/,
);
test(
  'given a third revision in mid-roll-out, then the old canary loses its weight before anything of it changes',
  decides,
  atTen({ head: version('third') }),
  'abort',
  /withdrawn new: Git has moved on to third .*weight 10 -> 0/,
);
test(
  'given a revision held in the record, then stable is kept',
  decides,
  given({ record: { ...carried, closed: [{ ...next, as: 'held', reason: 'errors', at: at(1) }] } }),
  'keep',
  /new is held: errors/,
);
test(
  'given a revision held in rollout.yaml only, then stable is kept',
  decides,
  given({ rollout: rollout(undefined, { held: [{ revision: next.revision, reason: 'errors', at: at(1) }] }) }),
  'keep',
  /held: errors/,
);
test('given a roll-back branch only, then stable is kept', decides, given({ rollbackBranch: true }), 'keep', /roll-back request/);
test(
  'given a held revision and a retry line, then it starts again',
  decides,
  given({
    record: { ...carried, closed: [{ ...next, as: 'held', reason: 'errors', at: at(1) }] },
    rollout: rollout(undefined, { retry: next.revision, held: [{ revision: next.revision, reason: 'errors', at: at(1) }] }),
  }),
  'start',
  /which is new/,
);
test(
  'given a retry whose second attempt was held as well, then the old line lifts nothing',
  decides,
  given({
    record: {
      ...carried,
      candidate: { ...walking(), startedAt: at(10) },
      closed: [1, 20].map((t) => ({ ...next, as: 'held' as const, reason: `attempt at ${t}`, at: at(t) })),
    },
    rollout: rollout(undefined, { retry: next.revision, held: [{ revision: next.revision, reason: 'the first', at: at(1) }] }),
  }),
  'keep',
  /new is held/,
);
test(
  'given a lifted hold whose old candidate is still in the record, then it starts from the first step',
  decides,
  given({
    record: { ...carried, candidate: walking([[10, 5]]), closed: [{ ...next, as: 'held', reason: 'errors', at: at(9) }] },
    rollout: rollout(undefined, { retry: next.revision, held: [{ revision: next.revision, reason: 'errors', at: at(9) }] }),
  }),
  'start',
  /which is new/,
);
test(
  'given a withdrawn revision that a new commit renders again, then it may start',
  decides,
  given({ record: { ...carried, closed: [{ ...next, commit: 'earlier' as Sha, as: 'withdrawn', reason: 'x', at: at(1) }] } }),
  'start',
  /which is new/,
);
test(
  'given an unreadable rollout.yaml, then increases stop',
  decides,
  atTen({ rollout: undefined, rolloutMistake: 'line 3', allowed: percent(100) }),
  'stop',
  /line 3/,
);
test(
  'given an unreadable rollout.yaml and a failing gate, then the abort goes on',
  decides,
  atTen({ rollout: undefined, rolloutMistake: 'line 3', readings: [fail] }),
  'abort',
  /3.1 %/,
);
test(
  'given every step passed, then the promote request is waited for',
  decides,
  atTen({
    observed: seen(100, side(0), side(4)),
    record: { ...carried, candidate: walking([[100, 900]]) },
    allowed: percent(100),
    rollout: rollout(100),
  }),
  'wait',
  /promote request may be merged/,
);

const promoting = (more: Partial<Situation>): Situation =>
  atTen({ rollout: { stable: next, held: [] }, record: { ...carried, candidate: walking([[100, 900]]) }, ...more });
test(
  'given a merged promotion at 100 %, then stable takes the content while it serves nobody',
  decides,
  promoting({ observed: seen(100, side(0), side(4)) }),
  'promote',
  /takes the content of new while it serves nobody/,
);
test(
  'given a promotion merged by hand at 50 %, then the canary goes to 100 % first',
  decides,
  promoting({ observed: seen(50, side(2), side(2)) }),
  'move',
  /pods for 100 %/,
);
test(
  'given the new content in stable, then its pods for the first chunk come',
  decides,
  promoting({ observed: seen(100, side(0), side(4)), live: { ...runs, stable: next.revision, sibling: next.revision } }),
  'promote',
  /pods for 50 % come/,
);
test(
  'given a chunk served, then the sibling shrinks before the next chunk',
  decides,
  promoting({ observed: seen(50, side(2), side(4)), live: { ...runs, stable: next.revision, sibling: next.revision } }),
  'promote',
  /50 % is proven/,
);
test(
  "given a failing gate while promoting, then Git's word stands",
  decides,
  promoting({ observed: seen(100, side(0), side(4)), readings: [fail] }),
  'promote',
  /takes the content/,
);
test(
  'given the sibling gone and stable whole, then it is written down',
  decides,
  promoting({ observed: seen(0, side(4), side(0)), live: { ...runs, stable: next.revision } }),
  'finish',
  /runs whole/,
);
test(
  'given a stable that this cluster has never carried, then it stops',
  decides,
  given({ rollout: { stable: version('other'), held: [] }, head: version('other') }),
  'stop',
  /never carried/,
);
test(
  'given a lost record while stable runs, then it is written again and nothing moves',
  decides,
  atTen({ record: { closed: [], carried: [] } }),
  'settle',
  /record was lost/,
);
test(
  'given a release without a strategy, then head is applied as it is',
  decides,
  given({ canary: undefined, rollout: undefined }),
  'install',
  /new is applied/,
);

test('given a step entered again after its weight was lowered, then its hold starts anew', (t) => {
  const record = {
    ...carried,
    candidate: walking([
      [10, 1],
      [50, 2],
    ]),
  };
  const lowered = remember(record, { to: 'move', target: { weight: percent(10), pods: {} }, because: '' });
  t.deepEqual(lowered.candidate?.entered, [{ weight: percent(10), at: at(1) }]);
  t.is(remember(lowered, { to: 'move', target: { weight: percent(10), pods: {} }, because: '' }), lowered, 'nothing to write');
});

test('given three waves, then earlier ones stay at 100 %, the current one has the merged weight, and later ones 0', (t) => {
  const release = { waves: ['eu', 'us', 'asia'].map((name) => ({ name, clusters: [name] })) } as never;
  const block = { ...rollout(), canary: { ...next, wave: 'us', weight: percent(25) } };
  t.deepEqual(
    ['eu', 'us', 'asia'].map((wave) => Number(ceiling(release, canary, next, block, wave))),
    [100, 25, 0],
  );
  t.deepEqual(
    ['eu', 'us'].map((wave) => Number(ceiling(release, canary, version('fresh'), block, wave))),
    [10, 0],
    'a left-over block says nothing about a new revision',
  );
});
