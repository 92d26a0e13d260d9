import type { Rollout } from '../desired/types.ts';
import { readLastApplied } from '../merge/last-applied.ts';
import type { LiveWorkloads } from '../rollout/observe.ts';
import type { Situation } from '../rollout/situation.ts';
import type { Decision, Target, Version } from '../rollout/types.ts';
import type { Beside } from '../versions/compose.ts';
import type { ReleaseLook } from './look.ts';

/** Which versions shall be there after a decision, and with how many pods and what weight. */
export interface Present {
  readonly stable: Version;
  readonly beside: Beside | undefined;
  readonly target: Target | undefined;
}

/** What a decision asks for. */
export function present(decision: Decision, s: Situation, look: ReleaseLook, workloads: LiveWorkloads): Present {
  return { stable: stableOf(decision, s), beside: besideOf(decision, s, look, workloads), target: targetOf(decision, s) };
}

/** The content of the plain names: what is being brought up, else what runs there. */
function stableOf(decision: Decision, s: Situation): Version {
  if (decision.to === 'install' || decision.to === 'settle' || decision.to === 'promote' || decision.to === 'finish')
    return decision.version;
  if (s.rollout && s.live.stable === s.rollout.stable.revision) return s.rollout.stable;
  return s.record.stable ?? s.rollout?.stable ?? s.head;
}

function besideOf(decision: Decision, s: Situation, look: ReleaseLook, { siblings }: LiveWorkloads): Beside | undefined {
  const { candidate } = s.record;
  const walking =
    candidate !== undefined &&
    candidate.revision === s.head.revision &&
    !isStable(s.rollout, candidate) &&
    decision.to !== 'abort' &&
    decision.to !== 'keep';
  const set = candidate && look.sets.get(candidate.commit);
  const against = look.sets.get((s.record.stable ?? s.rollout?.stable ?? s.head).commit);
  if (walking && set && against) return { from: 'render', set, against };
  if (s.live.sibling === undefined) return undefined;
  const deployments = [...siblings.values()].map((live) => readLastApplied(live) ?? live);
  return { from: 'live', revision: s.live.sibling, deployments };
}

function isStable(rollout: Rollout | undefined, version: Version): boolean {
  return rollout?.stable.revision === version.revision;
}

/** The decision's own target; else, while a sibling lives, what is there now. */
function targetOf(decision: Decision, s: Situation): Target | undefined {
  if ('target' in decision && decision.target) return decision.target;
  if (s.live.sibling === undefined) return undefined;
  const pods = Object.fromEntries(s.observed.workloads.map((w) => [w.name, { stable: w.stable.replicas, canary: w.canary.replicas }]));
  return { weight: s.observed.weight, pods };
}
