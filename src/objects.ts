/** A Kubernetes object as the API server sends it: raw JSON, nothing dropped, nothing converted. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly managedFields?: readonly ManagedFields[];
  readonly [field: string]: unknown;
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Which type of object: apiVersion is group/version, or the version alone for the core group. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** One object by name. The namespace is absent for cluster-scoped objects. */
export interface ObjectRef extends Kind {
  readonly namespace?: string;
  readonly name: string;
}

/** Label selector by equality: every label named must have the value given. */
export type Selector = Readonly<Record<string, string>>;

export function group(kind: Kind): string {
  const slash = kind.apiVersion.indexOf('/');
  return slash < 0 ? '' : kind.apiVersion.slice(0, slash);
}

export function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Identity across versions of one group: two refs with the same key name the same object. */
export type ObjectKey = string & { readonly unit: 'object key' };

export function keyOf(ref: ObjectRef): ObjectKey {
  return `${group(ref)}/${ref.kind}/${ref.namespace ?? ''}/${ref.name}` as ObjectKey;
}

/** Deployment shop/web: how people name an object. */
export function title(ref: ObjectRef): string {
  return `${ref.kind} ${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`;
}

/** The value at a path of fields and indexes, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here: unknown = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

/** The same object with another value at the path; objects on the way are made where they are missing. Nothing given is changed. */
export function withAt<T>(value: T, path: readonly string[], leaf: unknown): T {
  const [head, ...rest] = path;
  if (head === undefined) return leaf as T;
  const here = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return { ...here, [head]: withAt(here[head], rest, leaf) } as T;
}

/** Fields by which serin marks what it made or owns. */
export const SERIN = {
  manager: 'serin',
  partOf: 'applyset.kubernetes.io/part-of',
  revision: 'serin.dev/revision',
  release: 'serin.dev/release',
  track: 'serin.dev/track',
  /** On what serin composed itself: the plain name of the object that it stands beside. */
  siblingOf: 'serin.dev/sibling-of',
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
} as const;
