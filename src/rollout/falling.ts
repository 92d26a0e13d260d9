import type { Percent, Seconds } from '../units.ts';
import { percent } from '../units.ts';
import { podsFor } from './light.ts';
import type { Move, Observed, Target, WorkloadState } from './types.ts';

/**
 * One move of an abort. Stable is asked for its full size in one write, and at every look the weight falls to what stable's ready
 * pods can carry, to zero. Canary pods that are not ready are no capacity: their share moves at once, even where stable is short.
 * The sibling goes once the router has proved zero.
 */
export function fall(observed: Observed): Move {
  const full = (canary: (w: WorkloadState) => number): Target['pods'] =>
    Object.fromEntries(observed.workloads.map((w) => [w.name, { stable: Math.max(w.stable.replicas, w.size), canary: canary(w) }]));
  const weight = carried(observed);
  const stableShort = observed.workloads.some((w) => w.stable.replicas < w.size);
  if (weight < observed.weight || stableShort) {
    const because =
      weight < observed.weight
        ? `stable's ready pods carry ${100 - weight} %: weight ${observed.weight} -> ${weight}`
        : 'stable is raised to its full size';
    return { to: 'go', target: { weight, pods: full((w) => w.canary.replicas) }, because };
  }
  if (observed.weight > 0)
    return {
      to: 'wait',
      for: 'pods',
      because: `stable becomes ready to carry the canary's last ${observed.weight} %`,
      lookAgainIn: 1 as Seconds,
    };
  if (!observed.workloads.some((w) => w.canary.exists)) return { to: 'done' };
  if (observed.proof.is === 'not yet')
    return {
      to: 'wait',
      for: 'router',
      because: `the router has not proved 0 %: ${observed.proof.saw}`,
      lookAgainIn: observed.proof.lookAgainIn,
    };
  return { to: 'go', target: { weight: percent(0), pods: full(() => 0) }, because: 'no traffic is left on the canary: its pods go' };
}

/** The least weight at which stable's ready pods carry the rest, and never more than the canary's own ready pods can carry. Never above the weight now. */
function carried({ workloads, weight }: Observed): Percent {
  const stable = Math.max(0, ...workloads.map((w) => 100 - share(w.stable.ready, w.size)));
  const canary = Math.min(100, ...workloads.map((w) => (w.canary.ready >= podsFor(weight, w.size) ? 100 : share(w.canary.ready, w.size))));
  return percent(Math.min(weight, stable, canary));
}

/** Percent of the traffic that so many ready pods can carry, rounded down. */
function share(ready: number, size: number): number {
  return size === 0 ? 100 : Math.min(100, Math.floor((ready * 100) / size));
}
