import { newRollout, promoted, withCanary, withHeld, withWeight } from '../desired/rollout-text.ts';
import type { CanaryStrategy } from '../desired/types.ts';
import { closings, heldIn } from '../rollout/closed.ts';
import { ripeness } from '../rollout/ripe.ts';
import { stepAfter, stepAt } from '../rollout/situation.ts';
import type { CandidateRecord, Version } from '../rollout/types.ts';
import { type Percent, percent } from '../units.ts';
import { branchOf } from './branches.ts';
import { evidenceOf } from './evidence.ts';
import type { ReleaseLook } from './look.ts';
import { restored } from './restore.ts';
import type { ClusterState } from './state.ts';
import type { Request } from './types.ts';

/** A request that shall be open now, and what its head's status says. */
export interface Wanted {
  readonly request: Request;
  readonly state: 'pending' | 'success';
  readonly description: string;
}

/** The one request of a release that shall be open, by precedence: roll back, promote or advance, record. */
export function wantedRequest(look: ReleaseLook, states: readonly ClusterState[]): Wanted | undefined {
  return rollback(look, states) ?? forward(look, states) ?? record(look, states);
}

/** Holds the revision and restores what stable renders from. It goes by itself once head is another revision. */
function rollback(look: ReleaseLook, states: readonly ClusterState[]): Wanted | undefined {
  const { rollout, rolloutText } = look;
  const holder = states.find((s) => s.record.closed.some((c) => c.as === 'held' && c.revision === look.head.revision));
  const held = holder?.record.closed.findLast((c) => c.as === 'held' && c.revision === look.head.revision);
  if (!holder || !held || !rollout || rolloutText === undefined || heldIn(rollout, held) >= closings(holder.record, held)) return undefined;
  const files = {
    ...restored(look, rollout.stable.commit),
    [look.rolloutFile]: withHeld(rolloutText, { revision: held.revision, reason: held.reason, at: held.at }),
  };
  const because = `${held.revision} is held: ${held.reason}`;
  return green(
    make(look, states, 'rollback', [held.revision.slice(0, 8), heldIn(rollout, held) + 1], files, because, held),
    'a roll-back can always be merged',
  );
}

/** The next step of the candidate, or its promotion: opened when the step is entered, green when its hold and gates have passed. */
function forward(look: ReleaseLook, states: readonly ClusterState[]): Wanted | undefined {
  const canary = look.release.canary;
  const walking = states.filter((s) => walks(s, look));
  const candidate = walking[0]?.record.candidate;
  if (!canary || !candidate || !look.rollout || look.rolloutText === undefined || walking.length < states.length) return undefined;
  if (Object.keys(candidate.sizes).length === 0)
    return green(promote(look, states, candidate, 'no pods change'), 'no pods change: nothing to prove');
  const wave = look.rollout.canary?.revision === candidate.revision ? look.rollout.canary.wave : (look.release.waves[0]?.name ?? '');
  const mine = walking.filter((s) => s.wave === wave);
  const weight = entered(mine, canary);
  const step = weight === undefined ? undefined : stepAt(canary.steps, weight);
  if (weight === undefined || !step || mine.length === 0) return undefined;
  const next = nextOf(look, canary, wave, weight);
  if (next && next.wave === wave && look.rollout.canary?.revision === candidate.revision && next.weight <= look.rollout.canary.weight)
    return undefined;
  const because = `${step.weight} % is served in ${mine.map((s) => s.cluster).join(', ')}`;
  const request = next ? advance(look, states, candidate, { ...next, from: weight }, because) : promote(look, states, candidate, because);
  const unripe = mine.map((s) =>
    ripeness(
      step,
      s.record.candidate?.entered.find((e) => e.weight === weight) ?? { weight, at: s.situation.now },
      s.situation.readings,
      s.situation.now,
      look.rollout?.canary?.skipGates,
    ),
  );
  const waiting = unripe.find((r) => !r.ripe);
  return waiting ? { request, state: 'pending', description: waiting.because } : green(request, unripe[0]?.because ?? 'ripe');
}

function walks({ decision, record }: ClusterState, look: ReleaseLook): boolean {
  const forwards = decision.to === 'move' || decision.to === 'wait' || decision.to === 'enter' || decision.to === 'start';
  return forwards && record.candidate?.revision === look.head.revision && look.rollout?.stable.revision !== look.head.revision;
}

/** The weight that every cluster of the wave has entered and still serves. */
function entered(states: readonly ClusterState[], canary: CanaryStrategy): Percent | undefined {
  const weights = states.map(({ record, situation }) => {
    const step = stepAt(canary.steps, situation.observed.weight);
    return step && record.candidate?.entered.some((e) => e.weight === step.weight) ? step.weight : undefined;
  });
  return weights.every((w) => w !== undefined) && weights.length > 0 ? percent(Math.min(...weights)) : undefined;
}

/** The next step of the wave, the first step of the next wave, or nothing: then the candidate may be promoted. */
function nextOf(look: ReleaseLook, canary: CanaryStrategy, wave: string, weight: Percent): { wave: string; weight: Percent } | undefined {
  const step = stepAfter(canary.steps, weight);
  if (step) return { wave, weight: step.weight };
  const order = look.release.waves.map((w) => w.name);
  const following = order[order.indexOf(wave) + 1];
  const first = canary.steps[0];
  return following !== undefined && first ? { wave: following, weight: first.weight } : undefined;
}

function advance(
  look: ReleaseLook,
  states: readonly ClusterState[],
  candidate: CandidateRecord,
  next: { wave: string; weight: Percent; from: Percent },
  because: string,
): Request {
  const text = look.rolloutText ?? '';
  const { revision, commit } = candidate;
  const same = look.rollout?.canary?.revision === revision && look.rollout.canary.wave === next.wave;
  const edited = same ? withWeight(text, next.weight) : withCanary(text, { revision, commit, wave: next.wave, weight: next.weight });
  const key = [revision.slice(0, 8), `${next.wave}-${next.weight}`, tries(states, candidate)];
  return make(look, states, 'advance', key, { [look.rolloutFile]: edited }, because, candidate, next);
}

function promote(look: ReleaseLook, states: readonly ClusterState[], candidate: CandidateRecord, because: string): Request {
  const { revision, commit } = candidate;
  const files = { [look.rolloutFile]: promoted(look.rolloutText ?? '', { revision, commit }) };
  return make(look, states, 'promote', [revision.slice(0, 8), tries(states, candidate)], files, because, candidate);
}

/** Attempt 1, and one more for each time that this revision was closed before. */
function tries(states: readonly ClusterState[], { revision }: Version): number {
  return 1 + Math.max(0, ...states.map((s) => s.record.closed.filter((c) => c.revision === revision).length));
}

/** What runs is written into Git: after a first install, and for a release without a strategy whenever head is up. */
function record(look: ReleaseLook, states: readonly ClusterState[]): Wanted | undefined {
  const stable = states[0]?.record.stable;
  const same = stable && states.every((s) => s.record.stable?.revision === stable.revision);
  if (!stable || !same || look.rollout?.stable.revision === stable.revision) return undefined;
  if (look.rollout && look.release.canary) return undefined;
  const text = look.rolloutText === undefined ? newRollout(look.release, stable) : promoted(look.rolloutText, stable);
  const because = `${stable.revision} is installed and ready in ${states.map((s) => s.cluster).join(', ')}`;
  return green(
    make(look, states, 'record', [stable.revision.slice(0, 8), 1], { [look.rolloutFile]: text }, because, undefined),
    'a record can always be merged',
  );
}

function make(
  look: ReleaseLook,
  states: readonly ClusterState[],
  kind: Request['kind'],
  key: readonly (string | number)[],
  files: Request['files'],
  because: string,
  candidate: Version | undefined,
  next?: { wave: string; weight: Percent },
): Request {
  const branch = branchOf(kind, look.release.name, key);
  return {
    kind,
    release: look.release.name,
    branch,
    onto: look.head.commit,
    files,
    evidence: evidenceOf(look, states, because, candidate, next),
  };
}

function green(request: Request, description: string): Wanted {
  return { request, state: 'success', description };
}
