import type { Step } from '../desired/types.ts';
import { type Percent, percent } from '../units.ts';
import { podsFor, towards } from './light.ts';
import type { Situation } from './situation.ts';
import type { Decision, Move, Version } from './types.ts';

/** Stable first: the cluster runs what Git calls stable before anything new is tried. Undefined when it does and head is another revision. */
export function follow(s: Situation): Decision | undefined {
  if (!s.canary) return bringUp(s, s.head);
  if (!s.rollout) return unrecorded(s);
  const stable = s.rollout.stable;
  const runs = s.record.stable?.revision ?? s.live.stable;
  if (runs !== stable.revision) return change(s, stable);
  if (s.record.stable === undefined)
    return { to: 'settle', version: stable, because: `the record was lost; ${stable.revision} is what runs` };
  return s.head.revision === stable.revision ? { to: 'keep', because: `stable is ${stable.revision}, as Git has it` } : undefined;
}

/** No rollout.yaml is a first install only where the record is empty too. */
function unrecorded(s: Situation): Decision {
  if (s.record.stable === undefined) return bringUp(s, s.head);
  return { to: 'keep', because: `${s.record.stable.revision} is installed; nothing new starts before its record request is merged` };
}

/** Applies a version as a whole under its plain names, and writes it down once all its pods are ready. */
function bringUp(s: Situation, version: Version): Decision {
  if (s.record.stable?.revision === version.revision) return { to: 'keep', because: `${version.revision} is what Git has` };
  if (s.live.stable === version.revision && s.live.stableReady) return { to: 'settle', version, because: `${version.revision} is up` };
  return {
    to: 'install',
    version,
    because: s.live.empty ? `nothing runs yet: ${version.revision} is installed` : `${version.revision} is applied`,
  };
}

/** Git calls another revision stable than the cluster runs: the promote request was merged, or a person went back. */
function change(s: Situation, stable: Version): Decision {
  if (s.live.sibling === stable.revision) return promote(s, stable);
  if (s.live.stable === stable.revision && s.live.stableReady)
    return { to: 'finish', version: stable, because: `${stable.revision} runs whole under stable's names` };
  const carried = s.record.carried.includes(stable.revision) || s.live.stable === stable.revision || s.live.empty;
  const podless = s.record.candidate?.revision === stable.revision && Object.keys(s.record.candidate.sizes).length === 0;
  if (carried || podless) return { to: 'install', version: stable, because: `Git's stable is ${stable.revision}` };
  return { to: 'stop', because: `Git's stable is ${stable.revision}, which this cluster has never carried at 100 %` };
}

/**
 * Promotion under light capacity: the walk backwards. At 100 % stable has no pods left, so its content changes while nobody is served
 * by it; then stable rises chunk by chunk, each with pods ready, weight back, proof, and sibling down.
 */
function promote(s: Situation, stable: Version): Decision {
  if (s.live.stable !== stable.revision) {
    const up = towards(s.observed, percent(100));
    if (up.to === 'go') return { to: 'move', target: up.target, because: up.because };
    if (up.to === 'wait') return { to: 'wait', for: up.for, because: up.because, lookAgainIn: up.lookAgainIn };
    const pods = Object.fromEntries(s.observed.workloads.map((w) => [w.name, { stable: 0, canary: podsFor(100, w.size) }]));
    return {
      to: 'promote',
      version: stable,
      target: { weight: percent(100), pods },
      because: `stable takes the content of ${stable.revision} while it serves nobody`,
    };
  }
  const here = moved(stable, towards(s.observed, s.observed.weight, 'stable'));
  const back = here ?? moved(stable, towards(s.observed, chunkBelow(s.canary?.steps ?? [], s.observed.weight)));
  return back ?? { to: 'finish', version: stable, because: `${stable.revision} runs whole under stable's names` };
}

/** The same steps downwards, and zero at the end. */
function chunkBelow(steps: readonly Step[], weight: Percent): Percent {
  return steps.findLast((step) => step.weight < weight)?.weight ?? percent(0);
}

function moved(version: Version, move: Move): Decision | undefined {
  if (move.to === 'done') return undefined;
  if (move.to === 'go') return { to: 'promote', version, target: move.target, because: move.because };
  return { to: 'wait', for: move.for, because: move.because, lookAgainIn: move.lookAgainIn };
}
