import type { Revision } from '../desired/types.ts';
import { at, type KubeObject, SERIN } from '../objects.ts';
import type { Live } from './situation.ts';
import type { CandidateRecord, Side, WorkloadState } from './types.ts';

/** The release's Deployments as they live, plain-named and siblings apart. */
export interface LiveWorkloads {
  readonly plain: readonly KubeObject[];
  /** By the plain name. */
  readonly siblings: ReadonlyMap<string, KubeObject>;
}

export function workloadsOf(live: readonly KubeObject[]): LiveWorkloads {
  const deployments = live.filter((o) => o.kind === 'Deployment');
  const siblings = deployments.flatMap((o) => {
    const of = o.metadata.annotations?.[SERIN.siblingOf];
    return of === undefined ? [] : [[of, o] as const];
  });
  return { plain: deployments.filter((o) => o.metadata.annotations?.[SERIN.siblingOf] === undefined), siblings: new Map(siblings) };
}

/** What the live workloads say about which version runs. */
export function liveOf({ plain, siblings }: LiveWorkloads): Live {
  const carried = new Set(plain.map(revisionOf));
  return {
    empty: plain.length === 0 && siblings.size === 0,
    stable: carried.size === 1 ? [...carried][0] : undefined,
    stableReady: plain.every((o) => certainlyReady(o) >= replicas(o) && Number(at(o, 'status', 'updatedReplicas') ?? 0) >= replicas(o)),
    sibling: [...siblings.values()].map(revisionOf).find((r) => r !== undefined),
  };
}

/** The state of each workload that has a candidate: those written down at its start, and any sibling that lives. */
export function statesOf(workloads: LiveWorkloads, candidate: CandidateRecord | undefined): WorkloadState[] {
  const names = new Set([...Object.keys(candidate?.sizes ?? {}), ...workloads.siblings.keys()]);
  return [...names].sort().map((name) => {
    const stable = sideOf(
      workloads.plain.find((o) => o.metadata.name === name),
      certainlyReady,
    );
    const canary = sideOf(workloads.siblings.get(name), available);
    return { name, size: candidate?.sizes[name] ?? Math.max(stable.replicas, canary.replicas), stable, canary };
  });
}

function sideOf(deployment: KubeObject | undefined, ready: (o: KubeObject) => number): Side {
  if (!deployment) return { exists: false, replicas: 0, ready: 0, revision: undefined };
  return { exists: true, replicas: replicas(deployment), ready: ready(deployment), revision: revisionOf(deployment) };
}

function revisionOf(deployment: KubeObject): Revision | undefined {
  return deployment.metadata.annotations?.[SERIN.revision] as Revision | undefined;
}

export function replicas(deployment: KubeObject): number {
  return Number(at(deployment, 'spec', 'replicas') ?? 1);
}

/** Pods of the sibling that serve. Its template never changes in place, so the controller's last count stands. */
function available(deployment: KubeObject): number {
  return Number(at(deployment, 'status', 'availableReplicas') ?? 0);
}

/**
 * Pods of the present content that are available. While the controller has not seen the present generation nothing is certain; while old
 * pods remain, each of them is taken for an available one. See the Deployment's status in the Kubernetes API reference.
 */
function certainlyReady(deployment: KubeObject): number {
  const seen = Number(at(deployment, 'status', 'observedGeneration') ?? 0);
  if (seen < (deployment.metadata.generation ?? 0)) return 0;
  const old = Number(at(deployment, 'status', 'replicas') ?? 0) - Number(at(deployment, 'status', 'updatedReplicas') ?? 0);
  return Math.max(0, available(deployment) - old);
}
