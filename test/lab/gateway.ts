import { at, type KubeObject } from '../../src/objects.ts';
import { HOST } from './addresses.ts';
import type { Api } from './api.ts';
import { CONTROLLER, reportClass, reportGateway, reportRoute } from './gateway-status.ts';
import { backendOf, nameOf, routingTable } from './gateway-table.ts';
import type { EndpointSlice, Gateway, HttpRoute, ParentRef, Service } from './gateway-types.ts';
import { startProxy } from './proxy.ts';

const GROUP = '/apis/gateway.networking.k8s.io/v1';

/** What the gateway follows, by namespace/name. */
interface Watched {
  readonly classes: Map<string, KubeObject>;
  readonly gateways: Map<string, Gateway>;
  readonly routes: Map<string, HttpRoute>;
  readonly services: Map<string, Service>;
  readonly slices: Map<string, EndpointSlice>;
}

/** The lab's data plane: HTTPRoutes of every Gateway whose class is ours, by weight over the ready endpoints of their Services. */
export async function startGateway(api: Api, signal: AbortSignal): Promise<void> {
  const proxy = await startProxy(signal);
  const watched: Watched = { classes: new Map(), gateways: new Map(), routes: new Map(), services: new Map(), slices: new Map() };
  let due = false;
  const rebuild = () => {
    due = false;
    const routes = [...watched.routes.values()].filter((route) => parentsOf(route, watched).length > 0);
    proxy.use(routingTable(routes, watched));
    // Only now is the status true.
    report(api, routes, watched);
  };
  const follow = <T extends KubeObject>(path: string, store: Map<string, T>) => {
    const later = () => {
      if (!due) setImmediate(rebuild);
      due = true;
    };
    const changed = (object: KubeObject) => {
      store.set(nameOf(object), object as T);
      later();
    };
    const gone = (object: KubeObject) => {
      store.delete(nameOf(object));
      later();
    };
    void api.follow(path, { changed, gone }, signal);
  };
  follow(`${GROUP}/gatewayclasses`, watched.classes);
  follow(`${GROUP}/gateways`, watched.gateways);
  follow(`${GROUP}/httproutes`, watched.routes);
  follow('/api/v1/services', watched.services);
  follow('/apis/discovery.k8s.io/v1/endpointslices', watched.slices);
}

/** The class `lab` and the Gateway default/lab, which takes routes from every namespace. */
export async function installGateway(api: Api): Promise<void> {
  const apiVersion = 'gateway.networking.k8s.io/v1';
  await api.send('POST', `${GROUP}/gatewayclasses`, {
    apiVersion,
    kind: 'GatewayClass',
    metadata: { name: 'lab' },
    spec: { controllerName: CONTROLLER },
  });
  const listeners = [{ name: 'http', protocol: 'HTTP', port: 80, allowedRoutes: { namespaces: { from: 'All' } } }];
  const spec = { gatewayClassName: 'lab', listeners };
  await api.send('POST', `${GROUP}/namespaces/default/gateways`, {
    apiVersion,
    kind: 'Gateway',
    metadata: { name: 'lab', namespace: 'default' },
    spec,
  });
}

function isOurs(gateway: Gateway | undefined, { classes }: Watched): gateway is Gateway {
  return gateway !== undefined && at(classes.get(`/${gateway.spec.gatewayClassName}`), 'spec', 'controllerName') === CONTROLLER;
}

function parentsOf(route: HttpRoute, watched: Watched): readonly ParentRef[] {
  return (route.spec.parentRefs ?? []).filter((ref) => isOurs(watched.gateways.get(gatewayName(route, ref)), watched));
}

function gatewayName(route: HttpRoute, { namespace, name }: ParentRef): string {
  return `${namespace ?? route.metadata.namespace}/${name}`;
}

function report(api: Api, routes: readonly HttpRoute[], watched: Watched): void {
  for (const one of watched.classes.values()) if (at(one, 'spec', 'controllerName') === CONTROLLER) void reportClass(api, one);
  for (const gateway of watched.gateways.values()) {
    if (!isOurs(gateway, watched)) continue;
    const attached = routes.filter((route) => parentsOf(route, watched).some((ref) => gatewayName(route, ref) === nameOf(gateway)));
    void reportGateway(api, gateway, attached.length, HOST);
  }
  for (const route of routes) {
    const backends = (route.spec.rules ?? []).flatMap((rule) => (rule.backendRefs ?? []).map((ref) => backendOf(route, ref, watched)));
    void reportRoute(api, route, parentsOf(route, watched), backends);
  }
}
