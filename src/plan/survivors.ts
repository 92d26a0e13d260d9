import { withoutBookkeeping } from '../merge/difference.ts';
import { sameMeaning } from '../merge/equal.ts';
import type { MergeSchema } from '../merge/types.ts';
import type { KubeObject } from '../objects.ts';
import type { Decision } from '../rollout/types.ts';
import type { PlanStep, ReleasePlan } from './types.ts';

/** Whether the server's own dry run says that a patch would change nothing: what looked like drift was another way of writing the same. */
export function changesNothing(live: KubeObject, dryRun: KubeObject, schema: MergeSchema | undefined): boolean {
  return sameMeaning(withoutBookkeeping(live), withoutBookkeeping(dryRun), schema);
}

/** Decisions under which nothing is meant to move: what a plan still wants to patch may be another way of writing what is there. */
const STILL: ReadonlySet<Decision['to']> = new Set(['keep', 'wait', 'install', 'settle']);

/** The patches of a plan that the server is asked about before they are written: drift, and whatever is left to change when nothing moves. */
export function doubtful(plan: ReleasePlan, step: PlanStep): step is Extract<PlanStep, { do: 'patch' }> {
  if (step.do !== 'patch' || step.cause === 'takeover' || step.ref.name === `serin-${plan.release}`) return false;
  const decision = plan.decisions[step.cluster];
  return step.cause === 'drift' || (decision !== undefined && STILL.has(decision.to));
}

/** The plan with the steps that are left of it. */
export function surviving(plan: ReleasePlan, steps: readonly PlanStep[]): ReleasePlan {
  return { ...plan, steps, again: steps.length === 0 ? plan.otherwise : plan.again };
}
