import type { KubeObject } from '../../src/objects.ts';
import { at } from '../../src/objects.ts';
import type { Api } from './api.ts';
import { type Backend, nameOf } from './gateway-table.ts';
import type { Gateway, HttpRoute, ParentRef, ParentStatus } from './gateway-types.ts';
import { type Condition, timestamp } from './pod-types.ts';

export const CONTROLLER = 'serin.dev/lab-gateway';
const GROUP = '/apis/gateway.networking.k8s.io/v1';

/** The condition, with the moment of its last change kept while its status stays. */
function condition(
  before: readonly Condition[] | undefined,
  generation: number | undefined,
  type: string,
  status: 'True' | 'False',
  reason: string,
  message = '',
): Condition {
  const old = before?.find((one) => one.type === type);
  const lastTransitionTime = (old?.status === status ? old.lastTransitionTime : undefined) ?? timestamp();
  return { type, status, reason, message, observedGeneration: generation ?? 0, lastTransitionTime };
}

/** Writes what the gateway makes of a route now, for its own parents only, and only where it differs. */
export async function reportRoute(api: Api, route: HttpRoute, own: readonly ParentRef[], backends: readonly Backend[]): Promise<void> {
  const { namespace, name, generation, resourceVersion } = route.metadata;
  const before = route.status?.parents ?? [];
  const broken = backends.find((backend) => backend.broken)?.broken;
  const parents = own.map((parentRef): ParentStatus => {
    const old = before.find((one) => one.controllerName === CONTROLLER && sameJson(one.parentRef, parentRef))?.conditions;
    const resolved = broken
      ? condition(old, generation, 'ResolvedRefs', 'False', broken.reason, broken.message)
      : condition(old, generation, 'ResolvedRefs', 'True', 'ResolvedRefs');
    return { parentRef, controllerName: CONTROLLER, conditions: [condition(old, generation, 'Accepted', 'True', 'Accepted'), resolved] };
  });
  const others = before.filter((one) => one.controllerName !== CONTROLLER);
  const after = [...others, ...parents];
  if (sameJson(before, after)) return;
  const path = `${GROUP}/namespaces/${namespace}/httproutes/${name}/status`;
  await api.send('PATCH', path, { metadata: { resourceVersion }, status: { parents: after } }, 'merge-patch').catch(() => undefined);
}

/** Accepts a Gateway of our class, with its address and a status for each listener. */
export async function reportGateway(api: Api, gateway: Gateway, attached: number, address: string): Promise<void> {
  const { generation, resourceVersion, namespace, name } = gateway.metadata;
  const before = gateway.status?.conditions;
  const conditions = [
    condition(before, generation, 'Accepted', 'True', 'Accepted'),
    condition(before, generation, 'Programmed', 'True', 'Programmed'),
  ];
  const oldListeners = at(gateway, 'status', 'listeners') as readonly { name: string; conditions: readonly Condition[] }[] | undefined;
  const listeners = (gateway.spec.listeners ?? []).map((listener) => {
    const old = oldListeners?.find((one) => one.name === listener.name)?.conditions;
    const types = ['Accepted', 'Programmed', 'ResolvedRefs'];
    return {
      name: listener.name,
      attachedRoutes: attached,
      supportedKinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }],
      conditions: types.map((type) => condition(old, generation, type, 'True', type)),
    };
  });
  const status = { addresses: [{ type: 'IPAddress', value: address }], conditions, listeners };
  if (sameJson({ addresses: at(gateway, 'status', 'addresses'), conditions: before, listeners: oldListeners }, status)) return;
  const path = `${GROUP}/namespaces/${namespace}/gateways/${name}/status`;
  await api.send('PATCH', path, { metadata: { resourceVersion }, status }, 'merge-patch').catch(() => undefined);
}

export async function reportClass(api: Api, gatewayClass: KubeObject): Promise<void> {
  const before = at(gatewayClass, 'status', 'conditions') as readonly Condition[] | undefined;
  const conditions = [condition(before, gatewayClass.metadata.generation, 'Accepted', 'True', 'Accepted')];
  if (
    before?.some((one) => one.type === 'Accepted' && one.status === 'True' && one.observedGeneration === gatewayClass.metadata.generation)
  )
    return;
  await api
    .send('PATCH', `${GROUP}/gatewayclasses${nameOf(gatewayClass)}/status`, { status: { conditions } }, 'merge-patch')
    .catch(() => undefined);
}

/** Equal as JSON, whatever the order of the fields. */
function sameJson(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  );
}
