import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Revision } from '../desired/types.ts';
import { at, type KubeObject, keyOf, refOf } from '../objects.ts';

/**
 * The digest of one rendered set: 10 hex digits over all objects, in an order of their own, keys sorted.
 * The pods asked for are left out: they are operational, scaling is no new version.
 */
export function revisionOf(objects: readonly KubeObject[]): Revision {
  const texts = objects.map((object) => `${keyOf(refOf(object))}\n${canonical(withoutReplicas(object))}`).sort();
  return digest(texts.join('\n'), 10) as Revision;
}

/** Hex digits of a SHA-256. @param length how many, at most 64 */
export function digest(text: string, length: number): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, length);
}

/** JSON with sorted keys: two values with the same text are the same value. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}

/** A Deployment's manifest without the number of pods; every other object as it is. */
export function withoutReplicas(object: KubeObject): KubeObject {
  if (object.kind !== 'Deployment' || at(object, 'spec', 'replicas') === undefined) return object;
  const { replicas: _, ...spec } = object['spec'] as Record<string, unknown>;
  return { ...object, spec };
}
