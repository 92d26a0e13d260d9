import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Release } from '../desired/types.ts';
import { group, type Kind, type KubeObject, type ObjectRef, refOf } from '../objects.ts';
import { RECORD_KEY, recordText } from '../rollout/record.ts';
import type { ReleaseRecord } from '../rollout/types.ts';
import type { PlanStep } from './types.ts';

/** Label and annotations of KEP-3659 (ApplySet): any tool can list a release by them, and none but serin may prune it. */
export const APPLYSET = {
  id: 'applyset.kubernetes.io/id',
  tooling: 'applyset.kubernetes.io/tooling',
  kinds: 'applyset.kubernetes.io/contains-group-kinds',
  /** Not of the KEP: the same kinds with their versions, so that they can be listed without asking discovery. */
  served: 'serin.dev/kinds',
} as const;
const TOOLING = 'serin/v1alpha1';

/** The ConfigMap that is the release's ApplySet parent and carries its record. */
export function parentRef(release: Release): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace: release.namespace, name: `serin-${release.name}` };
}

/** applyset-<base64url(sha256(name.namespace.kind.group))>-v1, as KEP-3659 says. */
export function applySetId(release: Release): string {
  const { name, namespace, kind } = parentRef(release);
  return `applyset-${base64url(sha256(utf8ToBytes(`${name}.${namespace}.${kind}.`)))}-v1`;
}

/** Kinds that the set may contain, from the parent's annotation: what must be listed to find every member. */
export function memberKinds(parent: KubeObject | undefined): readonly Kind[] {
  const served = parent?.metadata.annotations?.[APPLYSET.served] ?? '';
  return served.split(',').flatMap((entry) => {
    const [apiVersion, kind] = entry.split(' ');
    return apiVersion && kind ? [{ apiVersion, kind }] : [];
  });
}

/** Deployment.apps, or ConfigMap for the core group. */
function groupKind(kind: Kind): string {
  const of = group(kind);
  return of === '' ? kind.kind : `${kind.kind}.${of}`;
}

function listOf(kinds: readonly Kind[], text: (kind: Kind) => string): string {
  return [...new Set(kinds.map(text))].sort().join(',');
}

/**
 * The write that brings the parent to a record and a list of kinds, or nothing where it says so already.
 * @param kinds a superset before anything is applied, the set itself once everything else is done
 */
export function parentStep(
  cluster: string,
  release: Release,
  live: KubeObject | undefined,
  record: ReleaseRecord,
  kinds: readonly Kind[],
): PlanStep[] {
  const { apiVersion, kind, ...ref } = parentRef(release);
  const labels = { [APPLYSET.id]: applySetId(release) };
  const annotations = {
    [APPLYSET.tooling]: TOOLING,
    [APPLYSET.kinds]: listOf(kinds, groupKind),
    [APPLYSET.served]: listOf(kinds, (k) => `${k.apiVersion} ${k.kind}`),
  };
  const data = { [RECORD_KEY]: recordText(record) };
  if (!live) return [{ do: 'create', cluster, object: { apiVersion, kind, metadata: { ...ref, labels, annotations }, data } }];
  const body = {
    metadata: { ...missing('labels', live.metadata.labels, labels), ...missing('annotations', live.metadata.annotations, annotations) },
    ...missing('data', live['data'], data),
  };
  if (Object.keys(body.metadata).length === 0 && !('data' in body)) return [];
  return [
    {
      do: 'patch',
      cluster,
      ref: refOf(live),
      resourceVersion: live.metadata.resourceVersion ?? '',
      patch: { type: 'merge', body },
      differences: 'data' in body ? [{ path: `data.${RECORD_KEY}`, live: undefined, desired: 'the record' }] : [],
      cause: 'change',
    },
  ];
}

function missing(
  field: string,
  live: unknown,
  wanted: Readonly<Record<string, string>>,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const here = (live ?? {}) as Record<string, string>;
  return Object.entries(wanted).every(([key, value]) => here[key] === value) ? {} : { [field]: wanted };
}

/** RFC 4648 section 5, without padding. */
function base64url(bytes: Uint8Array): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,6}/g) ?? []).map((six) => alphabet[Number.parseInt(six.padEnd(6, '0'), 2)]).join('');
}
