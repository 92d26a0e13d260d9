import type { Fleet, Release, Traffic } from '../desired/types.ts';
import { judge } from '../gates/threshold.ts';
import { at, type KubeObject, keyOf, SERIN } from '../objects.ts';
import { ceiling } from '../rollout/ceiling.ts';
import { heldIn } from '../rollout/closed.ts';
import { decide } from '../rollout/decide.ts';
import { type LiveWorkloads, liveOf, replicas, statesOf, workloadsOf } from '../rollout/observe.ts';
import { readRecord } from '../rollout/record.ts';
import { remember } from '../rollout/remember.ts';
import type { Situation } from '../rollout/situation.ts';
import type { Closed, Observed, Reading, ReleaseRecord } from '../rollout/types.ts';
import { observe, proof } from '../routers/gateway-api.ts';
import { type Percent, percent, type Seconds } from '../units.ts';
import { alive, compose, lensOf } from '../versions/compose.ts';
import { differenceOf } from '../versions/difference.ts';
import { branchOf } from './branches.ts';
import { forgeSteps } from './forge-steps.ts';
import type { ClusterLook, ReleaseLook } from './look.ts';
import { applySetId, memberKinds, parentStep } from './parent.ts';
import { present } from './present.ts';
import type { ClusterState } from './state.ts';
import type { PlanStep, ReleasePlan } from './types.ts';
import { deletionsFor, driftReported, writesFor } from './writes.ts';

/** Everything that one release needs on this look, as one ordered plan: for each cluster the record first, then the objects; then the forge. */
export function planRelease(look: ReleaseLook, defaults: Pick<Fleet['defaults'], 'drift' | 'pruneBudget'>): ReleasePlan {
  const readings = look.answers.flatMap(({ gate, asked, answer }) => {
    const declared = look.release.gates[gate];
    return declared ? [judge(declared, asked, answer)] : [];
  });
  const closed = look.clusters.flatMap((cluster) => readRecord(cluster.parent).closed);
  const states = look.clusters.map((cluster) => stateOf(look, cluster, readings, closed));
  const writes = states.map((state, index) => clusterSteps(look, look.clusters[index] as ClusterLook, state, defaults));
  const observing = look.release.mode !== 'enforce';
  const clusterWrites = observing ? [] : writes.flatMap((w) => w.steps);
  const forge = observing ? [] : forgeSteps(look, states);
  const otherwise = patience(look, states);
  return {
    release: look.release.name,
    head: { revision: look.head.revision, commit: look.head.commit },
    stable: look.rollout?.stable ?? states[0]?.situation.record.stable,
    decisions: Object.fromEntries(states.map((s) => [s.cluster, s.decision])),
    observed: Object.fromEntries(states.map((s) => [s.cluster, s.situation.observed])),
    records: Object.fromEntries(states.map((s) => [s.cluster, s.situation.record])),
    readings,
    steps: [...clusterWrites, ...forge],
    again: clusterWrites.length + forge.length > 0 ? 'at once' : otherwise,
    otherwise,
    notes: [...writes.flatMap((w) => w.notes), ...(observing ? [`mode is ${look.release.mode}: nothing is written`] : [])],
  };
}

/** @param closed of every cluster's record: what one has closed, none tries */
function stateOf(look: ReleaseLook, cluster: ClusterLook, readings: readonly Reading[], closed: readonly Closed[]): ClusterState {
  const record = readRecord(cluster.parent);
  const elsewhere = closed.filter((c) => !record.closed.some((own) => own.revision === c.revision));
  const workloads = workloadsOf(membersOf(look, cluster));
  const { canary } = look.release;
  const situation: Situation = {
    canary,
    head: { revision: look.head.revision, commit: look.head.commit },
    rollout: look.rollout,
    rolloutMistake: look.rolloutMistake,
    record: { ...record, closed: [...record.closed, ...elsewhere] },
    observed: observedOf(look, cluster, record, workloads),
    live: liveOf(workloads),
    sizes: sizesOf(look, workloads),
    readings,
    rollbackBranch: hasRollback(look),
    allowed: canary ? ceiling(look.release, canary, look.head, look.rollout, cluster.wave) : percent(100),
    mayRaise: look.mayRaise,
    now: cluster.now,
  };
  const decision = decide(situation);
  return { cluster: cluster.name, wave: cluster.wave, situation, decision, record: remember(record, decision) };
}

/** Deployments that carry the release's mark: a stranger under one of our names is no workload of ours. */
function membersOf(look: ReleaseLook, cluster: ClusterLook): KubeObject[] {
  const mark = applySetId(look.release);
  return [...cluster.live.values()].filter((o) => o.metadata.labels?.[SERIN.partOf] === mark);
}

/** Percent that the release's routers give the canary in a cluster now: the largest of them. */
export function observedWeight(release: Release, cluster: ClusterLook): Percent {
  return percent(
    Math.max(0, ...(release.canary?.traffic ?? []).map((traffic) => observe(routeOf(release, cluster, traffic), lensOf(traffic)))),
  );
}

function routeOf(release: Release, cluster: ClusterLook, traffic: Traffic): KubeObject | undefined {
  return cluster.live.get(
    keyOf({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      namespace: release.namespace,
      name: traffic.gatewayAPI.httpRoute,
    }),
  );
}

function observedOf({ release }: ReleaseLook, cluster: ClusterLook, record: ReleaseRecord, workloads: LiveWorkloads): Observed {
  const proofs = (release.canary?.traffic ?? []).map((traffic) => proof(routeOf(release, cluster, traffic), traffic.settle, cluster.now));
  return {
    workloads: statesOf(workloads, record.candidate),
    weight: observedWeight(release, cluster),
    proof: proofs.find((p) => p.is !== 'proven') ?? { is: 'proven' },
  };
}

/**
 * Pods that 100 % means for each workload that head changes: what is asked for now. Where a sibling stands already (the record was lost in
 * mid-roll-out) stable's own number means less, so Git's counts, else both sides together.
 */
function sizesOf(look: ReleaseLook, { plain, siblings }: LiveWorkloads): Readonly<Record<string, number>> {
  const stable = look.rollout && look.sets.get(look.rollout.stable.commit);
  if (!stable) return {};
  const live = new Map(plain.map((o) => [o.metadata.name, o]));
  const size = (o: KubeObject): number => {
    const here = live.get(o.metadata.name) ?? o;
    const sibling = siblings.get(o.metadata.name);
    if (!sibling) return replicas(here);
    return at(o, 'spec', 'replicas') === undefined ? replicas(here) + replicas(sibling) : replicas(o);
  };
  return Object.fromEntries(differenceOf(stable, look.head).workloads.map((o) => [o.metadata.name, size(o)]));
}

function hasRollback(look: ReleaseLook): boolean {
  const prefix = branchOf('rollback', look.release.name, [look.head.revision.slice(0, 8)]);
  const attempts = look.rollout ? heldIn(look.rollout, look.head) : 0;
  return look.pullRequests?.some((p) => p.branch === `${prefix}--${attempts + 1}`) ?? false;
}

function clusterSteps(
  look: ReleaseLook,
  cluster: ClusterLook,
  state: ClusterState,
  { drift, pruneBudget }: Pick<Fleet['defaults'], 'drift' | 'pruneBudget'>,
): { steps: readonly PlanStep[]; notes: readonly string[] } {
  const { decision, situation } = state;
  if (decision.to === 'stop') return { steps: [], notes: [decision.because] };
  const workloads = workloadsOf(membersOf(look, cluster));
  const shall = present(decision, { ...situation, record: state.record }, look, workloads);
  const stable = look.sets.get(shall.stable.commit);
  if (!stable)
    return { steps: [], notes: [`stable ${shall.stable.revision} cannot be rendered at ${shall.stable.commit}: it is left untouched`] };
  const applySet = applySetId(look.release);
  const composed = compose({ release: look.release, stable, beside: shall.beside, target: shall.target, applySet });
  const all = writesFor(cluster, composed, applySet, look.release.adopt);
  const writes = drift === 'report' ? driftReported(all) : all;
  const falling = shall.beside?.from === 'live' && alive(shall.target);
  const deletions = falling ? { steps: [], notes: [] } : deletionsFor(cluster, composed, applySet, pruneBudget);
  const steps = [...writes.steps, ...deletions.steps];
  const wanted = composed.map(({ desired: { apiVersion, kind } }) => ({ apiVersion, kind }));
  const kinds = steps.length > 0 ? [...wanted, ...memberKinds(cluster.parent)] : wanted;
  const first = steps.filter((step) => step.do === 'create' && step.object.kind === 'Namespace');
  const rest = steps.filter((step) => !first.includes(step));
  return {
    steps: [...first, ...parentStep(cluster.name, look.release, cluster.parent, state.record, kinds), ...rest],
    notes: [...writes.notes, ...deletions.notes],
  };
}

/**
 * How soon to look again where nothing is written: when the first thing that is waited for can have come. While a canary carries traffic it is
 * looked at on every interval of the grid, whoever is waited for.
 */
function patience({ release }: ReleaseLook, states: readonly ClusterState[]): ReleasePlan['otherwise'] {
  const grid = Math.min(60, ...Object.values(release.gates).map((g) => g.interval));
  const waits = states.flatMap(({ decision, situation }) => {
    const watched = situation.observed.weight > 0 && decision.to !== 'stop' ? [grid] : [];
    if (decision.to === 'wait') return decision.lookAgainIn === undefined ? watched : [Math.max(1, decision.lookAgainIn)];
    return ['install', 'abort', 'promote', 'move'].includes(decision.to) ? [1] : watched;
  });
  return waits.length === 0 ? 'next run' : (Math.min(...waits) as Seconds);
}
