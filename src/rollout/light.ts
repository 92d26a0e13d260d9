import type { Percent, Seconds } from '../units.ts';
import type { Move, Observed, Target, WorkloadState } from './types.ts';

/** How soon pods are looked at again: a pod that becomes ready is worth a LIST a second while a canary moves. */
const PODS_AGAIN = 1 as Seconds;

/**
 * Pods that carry a share of the traffic: rounded up, so that a share is never carried by zero pods.
 * @param size pods that 100 % means
 */
export function podsFor(share: number, size: number): number {
  return Math.ceil((share * size) / 100);
}

/**
 * Light capacity: one move towards the goal, up or down alike. Pods first, then the weight, then the proof, and only then do the
 * other side's pods go: capacity never goes before its traffic has left, and the total stays near the size that 100 % means.
 * @param goal percent of traffic that the canary shall have
 * @param keep the side whose pods beyond the goal's need are left alone, because the next step wants them
 */
export function towards(observed: Observed, goal: Percent, keep?: 'stable' | 'canary'): Move {
  const needs = new Map(observed.workloads.map((w) => [w.name, need(w, goal)]));
  const needOf = (w: WorkloadState) => needs.get(w.name) ?? { stable: 0, canary: 0 };
  const raised = pods(observed, (w) => ({
    stable: Math.max(w.stable.replicas, needOf(w).stable),
    canary: Math.max(w.canary.replicas, needOf(w).canary),
  }));
  if (
    observed.workloads.some(
      (w) => w.stable.replicas < needOf(w).stable || w.canary.replicas < needOf(w).canary || (needOf(w).canary > 0 && !w.canary.exists),
    )
  ) {
    return { to: 'go', target: { weight: observed.weight, pods: raised }, because: `pods for ${goal} % come before its traffic` };
  }
  const short = observed.workloads.find((w) => w.stable.ready < needOf(w).stable || w.canary.ready < needOf(w).canary);
  if (short) return { to: 'wait', for: 'pods', because: `${goal} % needs ${describe(short, needOf(short))}`, lookAgainIn: PODS_AGAIN };
  if (observed.weight !== goal) {
    return {
      to: 'go',
      target: { weight: goal, pods: raised },
      because: `the pods for ${goal} % are ready: weight ${observed.weight} -> ${goal}`,
    };
  }
  if (observed.proof.is !== 'proven') {
    const lookAgainIn = observed.proof.is === 'not yet' ? observed.proof.lookAgainIn : PODS_AGAIN;
    return { to: 'wait', for: 'router', because: `the router has not proved ${goal} %: ${observed.proof.saw}`, lookAgainIn };
  }
  const lowered = pods(observed, (w) => ({
    stable: keep === 'stable' ? w.stable.replicas : needOf(w).stable,
    canary: keep === 'canary' && goal > 0 ? w.canary.replicas : needOf(w).canary,
  }));
  const tooMany = observed.workloads.some(
    (w) =>
      w.stable.replicas > (lowered[w.name]?.stable ?? 0) ||
      w.canary.replicas > (lowered[w.name]?.canary ?? 0) ||
      (goal === 0 && w.canary.exists),
  );
  if (tooMany) return { to: 'go', target: { weight: goal, pods: lowered }, because: `${goal} % is proven: pods without traffic go` };
  return { to: 'done' };
}

/** Pods that a share asks of each side. Below 100 % stable always keeps one. */
function need({ size }: WorkloadState, goal: Percent): { stable: number; canary: number } {
  return { stable: podsFor(100 - goal, size), canary: podsFor(goal, size) };
}

function pods(observed: Observed, of: (workload: WorkloadState) => { stable: number; canary: number }): Target['pods'] {
  return Object.fromEntries(observed.workloads.map((workload) => [workload.name, of(workload)]));
}

function describe(w: WorkloadState, needed: { stable: number; canary: number }): string {
  const side = w.canary.ready < needed.canary ? ('canary' as const) : ('stable' as const);
  return `${needed[side]} ready pods of ${side} ${w.name}, and ${w[side].ready} are`;
}
