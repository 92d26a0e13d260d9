import { SerinError } from '../errors.ts';
import { at, type Kind } from '../objects.ts';
import { type Asked, parsed, refusedBy } from './errors.ts';
import type { Transport } from './transport.ts';
import { waitFor } from './wait-for.ts';

/** Where the objects of one kind are found. */
export interface Resource extends Kind {
  /** Plural, as in the path: deployments. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** /api/v1 or /apis/apps/v1 */
  readonly root: string;
}

/** From a kind to its resource, by what the server itself says. */
export interface RestMapper {
  /** Asks the server anew once when the kind is not known: its CRD may just have been installed. @throws SerinError E_UNKNOWN_KIND */
  resource(kind: Kind, signal: AbortSignal): Promise<Resource>;
  /** What is known is no longer true. */
  forget(): void;
}

// Aggregated discovery: v2 from Kubernetes 1.30, v2beta1 with the same fields from 1.27 (KEP-3352).
const ACCEPT = ['v2', 'v2beta1'].map((v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`).join(',');

interface Known {
  readonly resources: ReadonlyMap<string, Resource>;
  /** apiVersions whose own API server does not answer at the moment. */
  readonly stale: ReadonlySet<string>;
}

export function restMapper(cluster: string, transport: Transport): RestMapper {
  let known: Promise<Known> | undefined;
  const load = (): Promise<Known> => {
    const loading = Promise.all([discover(cluster, transport, '/api'), discover(cluster, transport, '/apis')]).then(merged);
    known = loading;
    // A failed look must not be remembered.
    loading.catch(() => {
      if (known === loading) known = undefined;
    });
    return loading;
  };
  return {
    async resource(kind, signal) {
      const cached = known;
      const key = keyOf(kind);
      const found = (await waitFor(() => cached ?? load(), signal)).resources.get(key);
      if (found) return found;
      const fresh = await waitFor(() => (cached === undefined || cached !== known ? (known ?? load()) : load()), signal);
      return fresh.resources.get(key) ?? unknown(cluster, kind, fresh);
    },
    forget() {
      known = undefined;
    },
  };
}

function keyOf({ apiVersion, kind }: Kind): string {
  return `${apiVersion} ${kind}`;
}

function merged(parts: readonly Known[]): Known {
  return { resources: new Map(parts.flatMap((part) => [...part.resources])), stale: new Set(parts.flatMap((part) => [...part.stale])) };
}

async function discover(cluster: string, transport: Transport, path: '/api' | '/apis'): Promise<Known> {
  const answer = await transport.send({ method: 'GET', path, accept: ACCEPT }, transport.lifetime);
  const asked: Asked = { cluster, verb: 'get', what: `the kinds at ${path}`, kind: 'APIGroupDiscoveryList' };
  if (answer.status !== 200) throw refusedBy(asked, answer);
  const list = parsed(answer.text);
  if (at(list, 'kind') !== 'APIGroupDiscoveryList') {
    throw new SerinError('E_DISCOVERY', `${cluster} does not know aggregated discovery at ${path}`, {
      hint: 'serin needs Kubernetes 1.27 or newer, and a server URL that leads to an API server',
      retry: 'never',
    });
  }
  return readGroups(list, path);
}

/** @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery */
function readGroups(list: unknown, path: string): Known {
  const resources = new Map<string, Resource>();
  const stale = new Set<string>();
  for (const group of items(at(list, 'items'))) {
    const name = String(at(group, 'metadata', 'name') ?? '');
    for (const version of items(at(group, 'versions'))) {
      const apiVersion = `${name === '' ? '' : `${name}/`}${at(version, 'version')}`;
      if (at(version, 'freshness') === 'Stale') stale.add(apiVersion);
      for (const entry of items(at(version, 'resources'))) {
        const kind = at(entry, 'responseKind', 'kind');
        // Kinds such as Binding and SubjectAccessReview can only be created: they are no objects.
        if (typeof kind !== 'string' || !items(at(entry, 'verbs')).includes('get')) continue;
        const resource = {
          apiVersion,
          kind,
          plural: String(at(entry, 'resource')),
          namespaced: at(entry, 'scope') === 'Namespaced',
          root: `${path}/${apiVersion}`,
        };
        resources.set(keyOf(resource), resource);
      }
    }
  }
  return { resources, stale };
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function unknown(cluster: string, { apiVersion, kind }: Kind, { resources, stale }: Known): never {
  const others = [...resources.values()].filter((resource) => resource.kind === kind).map((resource) => resource.apiVersion);
  const hint = stale.has(apiVersion)
    ? `the API server behind ${apiVersion} does not answer at the moment; see kubectl get apiservices`
    : others.length > 0
      ? `${cluster} has it in ${others.join(', ')}`
      : 'install its CustomResourceDefinition, or mend apiVersion and kind';
  throw new SerinError('E_UNKNOWN_KIND', `${cluster} knows no kind ${kind} in ${apiVersion}`, { hint, retry: 'next run' });
}
