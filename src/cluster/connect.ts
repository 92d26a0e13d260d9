import type { ClusterAddress } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import type { JsonOperation, Patch } from '../merge/types.ts';
import { group, type Kind, type KubeObject, type ObjectRef, refOf, SERIN, type Selector, title, withAt } from '../objects.ts';
import type { Cluster, How } from '../ports.ts';
import { type Instant, instant, type Seconds } from '../units.ts';
import { readCredentials } from './credentials.ts';
import { type Resource, type RestMapper, restMapper } from './discovery.ts';
import { type Asked, isTypeGone, refusedBy } from './errors.ts';
import { schemas } from './openapi.ts';
import { type Answer, type Call, type Transport, transport } from './transport.ts';

export interface ConnectOptions {
  /** Read instead of what KUBECONFIG names. */
  readonly kubeconfig?: string;
  /** Where OpenAPI documents are kept from one process to the next, by their hash. */
  readonly cacheFolder?: string;
  /** How long one request may take; 30 s. */
  readonly timeout?: Seconds;
  /** Objects per page of a list; 500, as kubectl's chunk size. */
  readonly pageSize?: number;
}

/**
 * One API server, over one connection. Nothing is sent before the first question, except by an exec plugin.
 * @param name what people call the cluster; it is in every message
 * @throws SerinError E_KUBECONFIG
 */
export async function connect(name: string, address: ClusterAddress, options: ConnectOptions = {}): Promise<Cluster> {
  const wire = await transport(name, () => readCredentials(address, options.kubeconfig), (options.timeout ?? 30) * 1000);
  const mapper = restMapper(name, wire);
  const rules = schemas(name, wire, options.cacheFolder);
  return {
    name,
    ...reads(name, wire, mapper, options.pageSize ?? 500),
    ...writes(name, wire, mapper),
    async schema(kind, signal) {
      await mapper.resource(kind, signal);
      return rules.of(kind, signal);
    },
    namespaced: async (kind, signal) => (await mapper.resource(kind, signal)).namespaced,
    now: (signal) => now(wire, signal),
    requests: () => wire.requests(),
    close: () => wire.close(),
  };
}

function reads(name: string, wire: Transport, mapper: RestMapper, pageSize: number): Pick<Cluster, 'list' | 'get'> {
  return {
    async list(kind, namespace, selector, signal) {
      const resource = await mapper.resource(kind, signal);
      const asked = askedFor(name, 'list', resource, namespace === undefined ? kind.kind : `${kind.kind} in namespace ${namespace}`);
      const path = collection(resource, namespace);
      const page = async (limit: number, from: string): Promise<Answer> => {
        const answer = await wire.send({ method: 'GET', path: `${path}?${listQuery(selector, limit, from)}` }, signal);
        if (isTypeGone(answer)) throw gone(mapper, asked, kind);
        return answer;
      };
      const found: KubeObject[] = [];
      for (let from = '', first = true; first || from !== ''; first = false) {
        let answer = await page(pageSize, from);
        if (answer.status === 410) {
          // The token outlived etcd's compaction: the pages read so far are of another moment. Read all at once.
          found.length = 0;
          answer = await page(0, '');
        }
        const list = objectIn<List>(asked, answer);
        // Built-in kinds leave both words out of their items.
        for (const item of list.items ?? []) found.push({ ...item, apiVersion: kind.apiVersion, kind: kind.kind });
        from = list.metadata?.continue ?? '';
      }
      return found;
    },
    async get(ref, signal) {
      const resource = await mapper.resource(ref, signal);
      const asked = askedFor(name, 'get', resource, title(ref));
      const answer = await wire.send({ method: 'GET', path: objectPath(resource, ref) }, signal);
      if (isTypeGone(answer)) throw gone(mapper, asked, ref);
      return answer.status === 404 ? undefined : objectIn(asked, answer);
    },
  };
}

interface List {
  readonly items?: readonly KubeObject[];
  readonly metadata?: { readonly continue?: string };
}

function writes(name: string, wire: Transport, mapper: RestMapper): Pick<Cluster, 'create' | 'patch' | 'delete'> {
  const write = async (asked: Asked, call: Call, signal: AbortSignal): Promise<KubeObject> =>
    objectIn(asked, await wire.send(call, signal));
  return {
    async create(object, how, signal) {
      const ref = refOf(object);
      const resource = await mapper.resource(ref, signal);
      const path = `${collection(resource, needed(resource, ref))}?${writeQuery(how)}`;
      return write(askedFor(name, 'create', resource, title(ref)), { method: 'POST', path, body: object }, signal);
    },
    async patch(ref, patch, resourceVersion, how, signal) {
      const resource = await mapper.resource(ref, signal);
      const path = `${objectPath(resource, ref)}?${writeQuery(how)}`;
      const call: Call = { method: 'PATCH', path, contentType: CONTENT_TYPES[patch.type], body: guarded(patch, resourceVersion) };
      return write({ ...askedFor(name, 'patch', resource, title(ref)), patch: patch.type }, call, signal);
    },
    async delete(ref, uid, signal) {
      const resource = await mapper.resource(ref, signal);
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid } };
      const answer = await wire.send({ method: 'DELETE', path: objectPath(resource, ref), body }, signal);
      if (answer.status >= 300 && answer.status !== 404) throw refusedBy(askedFor(name, 'delete', resource, title(ref)), answer);
    },
  };
}

const CONTENT_TYPES = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/** The patch with its precondition: the API server answers 409 when the object is no longer the one that it was computed from. */
function guarded(patch: Patch, resourceVersion: string): unknown {
  if (patch.type !== 'json') return withAt(patch.body, ['metadata', 'resourceVersion'], resourceVersion);
  // Not by a test operation: where one fails the server only says that the request is wrong, as it would of a path that is not there.
  const pinned: JsonOperation = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
  return [pinned, ...patch.body];
}

function writeQuery(how: How): string {
  return `fieldManager=${SERIN.manager}&fieldValidation=Strict${how === 'dry run' ? '&dryRun=All' : ''}`;
}

function listQuery(selector: Selector, limit: number, from: string): string {
  const labels = Object.entries(selector).map(([label, value]) => `${label}=${value}`);
  return new URLSearchParams({
    ...(limit > 0 ? { limit: String(limit) } : {}),
    ...(labels.length > 0 ? { labelSelector: labels.join(',') } : {}),
    ...(from === '' ? {} : { continue: from }),
  }).toString();
}

function collection({ root, namespaced, plural }: Resource, namespace: string | undefined): string {
  return namespaced && namespace !== undefined ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}` : `${root}/${plural}`;
}

function objectPath(resource: Resource, ref: ObjectRef): string {
  return `${collection(resource, needed(resource, ref))}/${encodeURIComponent(ref.name)}`;
}

/** @throws SerinError E_NO_NAMESPACE: without one the path would mean another object, or all of them */
function needed({ namespaced }: Resource, ref: ObjectRef): string | undefined {
  if (!namespaced || ref.namespace) return ref.namespace;
  throw new SerinError('E_NO_NAMESPACE', `${title(ref)} lives in a namespace, but none is named`, {
    hint: "name one in the manifest's metadata or in the release",
    retry: 'never',
  });
}

function askedFor(cluster: string, verb: Asked['verb'], resource: Resource, what: string): Asked {
  const suffix = group(resource);
  return { cluster, verb, what, kind: resource.kind, resource: suffix === '' ? resource.plural : `${resource.plural}.${suffix}` };
}

function gone(mapper: RestMapper, { cluster, what }: Asked, { apiVersion, kind }: Kind): SerinError {
  mapper.forget();
  return new SerinError('E_UNKNOWN_KIND', `${cluster} no longer knows kind ${kind} in ${apiVersion}, asked for ${what}`, {
    hint: 'its CustomResourceDefinition was removed a moment ago; the next run looks again',
    retry: 'next run',
  });
}

function objectIn<T = KubeObject>(asked: Asked, answer: Answer): T {
  if (answer.status >= 300) throw refusedBy(asked, answer);
  try {
    return JSON.parse(answer.text) as T;
  } catch {
    // The parser's own error quotes the text, and the text may be a Secret.
    throw new SerinError('E_SERVER', `the answer of ${asked.cluster} to ${asked.verb} ${asked.what} is not JSON`, {
      hint: 'look at what stands between here and the API server',
      retry: 'next run',
    });
  }
}

/** Milliseconds for which our own clock may carry the server's word on. Longer, and a frozen process would be believed. */
const TRUSTED = 30_000;

async function now(wire: Transport, signal: AbortSignal): Promise<Instant> {
  const told = wire.told();
  const passed = told === undefined ? Number.POSITIVE_INFINITY : Math.max(performance.now() - told.monotonic, Date.now() - told.wall);
  if (told !== undefined && passed < TRUSTED) return Math.floor(instant(told.date) + passed / 1000) as Instant;
  await wire.send({ method: 'GET', path: '/version' }, signal);
  const date = wire.told()?.date;
  if (date !== undefined) return instant(date);
  throw new SerinError('E_NO_CLOCK', 'the API server sends no Date header', {
    hint: 'look at what stands between here and the API server',
    retry: 'next run',
  });
}
