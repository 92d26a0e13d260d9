import type { Release, RenderedSet, Revision, Traffic } from '../desired/types.ts';
import { type KubeObject, keyOf, refOf, SERIN } from '../objects.ts';
import type { Target } from '../rollout/types.ts';
import { type Lens, shift } from '../routers/gateway-api.ts';
import { differenceOf, type VersionDifference } from './difference.ts';
import { canaryName, canaryService, selectedKeys, selects, siblingOf } from './sibling.ts';

/**
 * What stands beside stable. While a candidate walks it is composed from the rendered sets; while one is promoted or falls its Deployments
 * stay as they were applied, whatever can be rendered now: an abort never needs a render.
 */
export type Beside =
  | { readonly from: 'render'; readonly against: RenderedSet; readonly set: RenderedSet }
  | { readonly from: 'live'; readonly revision: Revision; readonly deployments: readonly KubeObject[] };

/** One object of the set that shall exist: the manifest that goes into the last-applied copy, and what serin lays over it. */
export interface Composed {
  readonly desired: KubeObject;
  readonly overlaid: KubeObject;
  /** serin made it up itself: deleting it costs no budget. */
  readonly composed: boolean;
}

export interface Composition {
  readonly release: Release;
  readonly stable: RenderedSet;
  readonly beside: Beside | undefined;
  /** Pods and weight; absent: Git's own numbers. */
  readonly target: Target | undefined;
  /** Value of the part-of label that every member carries. */
  readonly applySet: string;
}

/** Stable and candidate as one set of objects, each once, in the order of creation. */
export function compose({ release, stable, beside, target, applySet }: Composition): readonly Composed[] {
  const own = (object: KubeObject, overlaid: KubeObject, composed = false): Composed => ({
    desired: object,
    overlaid: withMark(overlaid, applySet),
    composed,
  });
  const plain = stable.objects.map((object) => own(object, overlay(object, release, stable, target)));
  const siblings =
    beside === undefined ? [] : beside.from === 'render' ? rendered(release, beside, target, own) : applied(beside, target, own);
  return [...plain, ...siblings].sort((a, b) => rank(a.desired) - rank(b.desired));
}

type Own = (object: KubeObject, overlaid: KubeObject, composed?: boolean) => Composed;

function rendered(
  release: Release,
  { against, set }: Extract<Beside, { from: 'render' }>,
  target: Target | undefined,
  own: Own,
): Composed[] {
  const difference = differenceOf(against, set);
  const additions = difference.additions.map((object) => own(object, stamped(object, set.revision)));
  if (!alive(target)) return additions;
  const workloads = difference.workloads.map((object) => {
    const made = siblingOf(object, selectedKeys(before(against, object), against.objects));
    return own(made, stamped(withReplicas(made, target?.pods[object.metadata.name]?.canary), set.revision), true);
  });
  const configs = difference.configs.map((object) => own(object, object, true));
  const services = splitServices(release, against, difference).map(({ service, keys }) => {
    const made = canaryService(service, keys);
    return own(made, made, true);
  });
  return [...additions, ...configs, ...services, ...workloads];
}

function applied({ revision, deployments }: Extract<Beside, { from: 'live' }>, target: Target | undefined, own: Own): Composed[] {
  if (!alive(target)) return [];
  return deployments.map((made) => {
    const of = made.metadata.annotations?.[SERIN.siblingOf] ?? '';
    return own(made, stamped(withReplicas(made, target?.pods[of]?.canary), revision), true);
  });
}

/** The lens of one router entry: the declared Service and the candidate's. */
export function lensOf({ service }: Traffic): Lens {
  return { service, canary: canaryName(service) };
}

/** The routed Services whose pods get a second version, with the label keys that tell the two apart. */
function splitServices(
  release: Release,
  stable: RenderedSet,
  { workloads }: VersionDifference,
): { service: KubeObject; keys: ReadonlySet<string> }[] {
  return (release.canary?.traffic ?? []).flatMap(({ service: name }) => {
    const service = stable.objects.find((o) => o.kind === 'Service' && o.metadata.name === name);
    const workload = service && workloads.find((w) => selects(service, before(stable, w)));
    return service && workload ? [{ service, keys: selectedKeys(before(stable, workload), stable.objects) }] : [];
  });
}

/** The stable Deployment of the same name: its labels are what stable's Services select by. */
function before(stable: RenderedSet, workload: KubeObject): KubeObject {
  return stable.objects.find((o) => keyOf(refOf(o)) === keyOf(refOf(workload))) ?? workload;
}

function overlay(object: KubeObject, release: Release, stable: RenderedSet, target: Target | undefined): KubeObject {
  if (object.kind === 'Deployment') return stamped(withReplicas(object, target?.pods[object.metadata.name]?.stable), stable.revision);
  if (object.kind !== 'HTTPRoute' || target === undefined) return object;
  const traffic = (release.canary?.traffic ?? []).filter((t) => t.gatewayAPI.httpRoute === object.metadata.name);
  return traffic.reduce((route, entry) => shift(route, lensOf(entry), target.weight), object);
}

/** A target with a pod or with traffic for the candidate. */
export function alive(target: Target | undefined): boolean {
  return target !== undefined && (target.weight > 0 || Object.values(target.pods).some((p) => p.canary > 0));
}

function withReplicas(deployment: KubeObject, replicas: number | undefined): KubeObject {
  return replicas === undefined ? deployment : { ...deployment, spec: { ...(deployment['spec'] as object), replicas } };
}

function stamped(object: KubeObject, revision: string): KubeObject {
  if (object.kind !== 'Deployment') return object;
  const annotations = { ...object.metadata.annotations, [SERIN.revision]: revision };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function withMark(object: KubeObject, applySet: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [SERIN.partOf]: applySet } } };
}

/** What others need comes first: names to live in, identities, configuration, then pods, then what sends traffic to them. */
const ORDER = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'Service',
];
const LAST = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'Ingress',
  'HTTPRoute',
  'GRPCRoute',
];

export function rank({ kind }: KubeObject): number {
  const early = ORDER.indexOf(kind);
  if (early >= 0) return early;
  const late = LAST.indexOf(kind);
  return late < 0 ? ORDER.length : ORDER.length + 1 + late;
}
