import type { Difference } from '../merge/types.ts';
import { type ObjectRef, refOf, title } from '../objects.ts';
import type { PlanStep, ReleasePlan, Request } from '../plan/types.ts';
import type { Status } from '../ports.ts';
import type { Decision } from '../rollout/types.ts';

interface Told {
  /** RFC 3339. */
  readonly time: string;
}
interface OfRelease extends Told {
  readonly release: string;
}
interface OfCluster extends OfRelease {
  readonly cluster: string;
}
interface OfObject extends OfCluster {
  /** Deployment shop/web */
  readonly object: string;
}

/** What a tick tells while it works: one line of a log, one line of JSON. Told after it happened, never before. */
export type TickEvent =
  | (Told & { readonly event: 'looked'; readonly commit: string; readonly releases: number })
  | (OfCluster & { readonly event: 'decided'; readonly to: Decision['to']; readonly because: string })
  | (OfCluster & { readonly event: 'waiting'; readonly for: string; readonly because: string })
  | (OfObject & { readonly event: 'created' })
  | (OfObject & { readonly event: 'patched'; readonly paths: readonly string[] })
  | (OfObject & { readonly event: 'drift-repaired'; readonly differences: readonly Difference[] })
  | (OfObject & { readonly event: 'deleted'; readonly because: string })
  | (OfCluster & { readonly event: 'installed'; readonly revision: string })
  | (OfCluster & { readonly event: 'weight'; readonly from: number; readonly to: number; readonly because: string })
  | (OfCluster & { readonly event: 'entered'; readonly weight: number; readonly because: string })
  | (OfCluster & { readonly event: 'held' | 'withdrawn'; readonly revision: string; readonly because: string })
  | (OfCluster & { readonly event: 'promoted'; readonly revision: string })
  | (OfRelease & {
      readonly event: 'pull-request-opened';
      readonly kind: Request['kind'];
      readonly number: number;
      readonly title: string;
      readonly url: string;
      readonly branch: string;
    })
  | (OfRelease & { readonly event: 'pull-request-closed'; readonly number: number; readonly because: string })
  | (OfRelease & { readonly event: 'pull-request-merged'; readonly number: number; readonly because: string })
  | (OfRelease & { readonly event: 'status'; readonly commit: string; readonly state: Status['state']; readonly description: string })
  | (Told & {
      readonly event: 'failed';
      readonly release?: string;
      readonly cluster?: string;
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    });

/** What a plan's decisions mean, one cluster after the other: to be told once the plan has been carried out. A wait is told as waiting alone. */
export function decisionEvents(plan: ReleasePlan, time: string): TickEvent[] {
  return Object.entries(plan.decisions).flatMap(([cluster, decision]) => {
    const of = { time, release: plan.release, cluster };
    if (decision.to === 'wait') return [{ ...of, event: 'waiting', for: decision.for, because: decision.because } as const];
    return [{ ...of, event: 'decided', to: decision.to, because: decision.because } as const, ...milestones(plan, cluster, decision, of)];
  });
}

function milestones(plan: ReleasePlan, cluster: string, decision: Decision, of: OfCluster): TickEvent[] {
  switch (decision.to) {
    case 'settle':
      return [{ ...of, event: 'installed', revision: decision.version.revision }];
    case 'enter':
      return [{ ...of, event: 'entered', weight: decision.weight, because: decision.because }];
    case 'finish':
      return [{ ...of, event: 'promoted', revision: decision.version.revision }];
    case 'abort': {
      const { closing } = decision;
      const known = plan.records[cluster]?.closed.some((c) => c.revision === closing.revision && c.commit === closing.commit) ?? false;
      return [
        ...(known ? [] : [{ ...of, event: closing.as, revision: closing.revision, because: closing.reason } as const]),
        ...weightEvents(plan, cluster, decision, of),
      ];
    }
    default:
      return weightEvents(plan, cluster, decision, of);
  }
}

function weightEvents(plan: ReleasePlan, cluster: string, decision: Decision, of: OfCluster): TickEvent[] {
  const to = 'target' in decision ? decision.target?.weight : undefined;
  const from = plan.observed[cluster]?.weight ?? 0;
  return to === undefined || to === from ? [] : [{ ...of, event: 'weight', from, to, because: decision.because }];
}

/** What one write to a cluster, or one status, is called once it has been done. Requests need the number that the host gave them. */
export function stepEvent(step: Exclude<PlanStep, { do: 'propose' }>, release: string, time: string): TickEvent {
  const of = { time, release };
  switch (step.do) {
    case 'create':
      return { ...of, event: 'created', cluster: step.cluster, object: title(refOf(step.object)) };
    case 'patch':
      return { ...of, ...patched(step), cluster: step.cluster, object: title(step.ref satisfies ObjectRef) };
    case 'delete':
      return { ...of, event: 'deleted', cluster: step.cluster, object: title(step.ref), because: step.because };
    case 'close':
      return { ...of, event: 'pull-request-closed', number: step.number, because: step.because };
    case 'merge':
      return { ...of, event: 'pull-request-merged', number: step.number, because: step.because };
    case 'status':
      return { ...of, event: 'status', commit: step.commit, state: step.status.state, description: step.status.description };
  }
}

function patched({ cause, differences }: Extract<PlanStep, { do: 'patch' }>) {
  return cause === 'drift'
    ? ({ event: 'drift-repaired', differences } as const)
    : ({ event: 'patched', paths: differences.map((d) => d.path) } as const);
}
