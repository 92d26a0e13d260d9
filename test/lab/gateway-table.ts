import type { KubeObject } from '../../src/objects.ts';
import type { BackendRef, EndpointSlice, HttpRoute, Match, Service } from './gateway-types.ts';

/** One backend of a rule: how often it is chosen, and where its requests go. */
export interface Backend {
  readonly service: string;
  readonly weight: number;
  /** Why the reference cannot be followed; its share of the requests is answered with 500, as the Gateway API demands. */
  readonly broken?: { readonly reason: 'BackendNotFound' | 'InvalidKind' | 'RefNotPermitted'; readonly message: string };
  /** host:port of every ready endpoint; where there is none, the share is answered with 503. */
  readonly endpoints: readonly string[];
}

export interface Entry {
  readonly route: string;
  readonly hostname: string | undefined;
  readonly match: Match;
  readonly backends: readonly Backend[];
}

/** What is on the API server, by namespace/name. */
export interface World {
  readonly routes: ReadonlyMap<string, HttpRoute>;
  readonly services: ReadonlyMap<string, Service>;
  readonly slices: ReadonlyMap<string, EndpointSlice>;
}

/** Every rule's matches, the most telling first: exact host, then exact path, then longest path, then method, then most headers. */
export function routingTable(routes: readonly HttpRoute[], world: World): readonly Entry[] {
  const entries = routes.flatMap((route) => {
    const name = nameOf(route);
    const hostnames: readonly (string | undefined)[] = route.spec.hostnames?.length ? route.spec.hostnames : [undefined];
    return (route.spec.rules ?? []).flatMap((rule) => {
      const backends = (rule.backendRefs ?? []).map((ref) => backendOf(route, ref, world));
      const matches: readonly Match[] = rule.matches?.length ? rule.matches : [{}];
      return matches.flatMap((match) => hostnames.map((hostname): Entry => ({ route: name, hostname, match, backends })));
    });
  });
  return entries.sort((a, b) => telling(b) - telling(a));
}

export function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** The first entry that fits. `headers` by lower-case name. */
export function findEntry(
  table: readonly Entry[],
  host: string,
  path: string,
  method: string,
  headers: Readonly<Record<string, unknown>>,
): Entry | undefined {
  return table.find(({ hostname, match }) => fitsHost(hostname, host) && fits(match, path, method, headers));
}

/** @param draw from 0 up to, but not including, 1 */
export function chooseBackend(backends: readonly Backend[], draw: number): Backend | undefined {
  let rest = draw * backends.reduce((sum, backend) => sum + backend.weight, 0);
  return backends.find((backend) => {
    rest -= backend.weight;
    return backend.weight > 0 && rest < 0;
  });
}

export function backendOf(route: HttpRoute, ref: BackendRef, { services, slices }: World): Backend {
  const namespace = ref.namespace ?? route.metadata.namespace ?? '';
  const service = `${namespace}/${ref.name}`;
  const weight = ref.weight ?? 1;
  const broken = (reason: 'BackendNotFound' | 'InvalidKind' | 'RefNotPermitted', message: string): Backend => ({
    service,
    weight,
    broken: { reason, message },
    endpoints: [],
  });
  if (ref.kind !== undefined && ref.kind !== 'Service') return broken('InvalidKind', `${ref.kind} ${service} is no Service`);
  if (namespace !== route.metadata.namespace)
    return broken('RefNotPermitted', `the lab's gateway follows no reference to another namespace: ${service}`);
  const found = services.get(service);
  if (found === undefined) return broken('BackendNotFound', `service ${service} not found`);
  const port = found.spec.ports?.find((one) => one.port === ref.port);
  if (port === undefined) return broken('BackendNotFound', `service ${service} has no port ${ref.port}`);
  const own = [...slices.values()].filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.['kubernetes.io/service-name'] === ref.name,
  );
  return { service, weight, endpoints: [...new Set(own.flatMap((slice) => readyEndpoints(slice, port.name ?? '')))] };
}

function readyEndpoints({ endpoints, ports }: EndpointSlice, portName: string): readonly string[] {
  const port = ports?.find((one) => (one.name ?? '') === portName)?.port;
  if (port === undefined) return [];
  // A ready that is not said means ready: https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoint-slice-v1/
  const ready = (endpoints ?? []).filter((endpoint) => endpoint.conditions?.ready !== false);
  return ready.flatMap((endpoint) => endpoint.addresses.map((address) => `${address}:${port}`));
}

function telling({ hostname, match }: Entry): number {
  const host = hostname === undefined ? 0 : hostname.startsWith('*') ? 1 : 2;
  const exact = match.path?.type === 'Exact' ? 1 : 0;
  const length = Math.min(match.path?.value?.length ?? 1, 999);
  return ((host * 2 + exact) * 1000 + length) * 100 + (match.method === undefined ? 0 : 50) + Math.min(match.headers?.length ?? 0, 49);
}

function fitsHost(hostname: string | undefined, host: string): boolean {
  if (hostname === undefined) return true;
  return hostname.startsWith('*.') ? host.endsWith(hostname.slice(1)) : host === hostname;
}

function fits({ path, headers = [], method }: Match, asked: string, by: string, sent: Readonly<Record<string, unknown>>): boolean {
  if (method !== undefined && method !== by) return false;
  if (!headers.every(({ name, value, type }) => type !== 'RegularExpression' && sent[name.toLowerCase()] === value)) return false;
  const value = path?.value ?? '/';
  if (path?.type === 'RegularExpression') return false;
  if (path?.type === 'Exact') return asked === value;
  const prefix = value.endsWith('/') ? value.slice(0, -1) : value;
  return asked === prefix || asked.startsWith(`${prefix}/`);
}
