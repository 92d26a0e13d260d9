import type { Sha } from '../desired/types.ts';
import type { Instant, Seconds } from '../units.ts';
import type { ReleasePlan } from './types.ts';

/** What one tick leaves to the next, in the cache folder or in the warm process. Losing it costs one full look and nothing else. */
export interface Memory {
  readonly commit: Sha;
  /** Nothing was open, and all was as Git has it. */
  readonly quiet: boolean;
  /** When the drift slot comes round. */
  readonly lookAt: Instant;
}

/** A tick is idle when Git has not moved, nothing is open, and the drift slot has not come: then no cluster is asked anything. */
export function isIdle(memory: Memory | undefined, commit: Sha, now: Instant): boolean {
  return memory !== undefined && memory.commit === commit && memory.quiet && now < memory.lookAt;
}

/** Nothing is left to do or to wait for in any release. */
export function isQuiet(plans: readonly ReleasePlan[]): boolean {
  return plans.every((plan) => plan.steps.length === 0 && Object.values(plan.decisions).every(({ to }) => to === 'keep'));
}

/** How long until this tick looks again; undefined when nothing can have come within the budget that is left. */
export function pause(plans: readonly ReleasePlan[], left: Seconds): Seconds | undefined {
  if (plans.some((plan) => plan.again === 'at once')) return 0 as Seconds;
  const soonest = Math.min(...plans.map(({ again }) => (typeof again === 'number' ? again : Number.POSITIVE_INFINITY)));
  return soonest <= left ? (soonest as Seconds) : undefined;
}

/** Whether carrying the plan out gives a canary more traffic. A tick does that at most once for each release. */
export function raisesExposure(plan: ReleasePlan): boolean {
  return Object.entries(plan.decisions).some(
    ([cluster, decision]) => decision.to === 'move' && decision.target.weight > (plan.observed[cluster]?.weight ?? 0),
  );
}
