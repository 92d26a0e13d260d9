import { type KubeObject, SERIN } from '../objects.ts';
import { encode } from './go-json.ts';
import { type Fields, fieldsOf, isFields, omit, withoutNulls } from './json.ts';

/**
 * The text of kubectl.kubernetes.io/last-applied-configuration, byte for byte as kubectl writes it, so that either tool can take over from the other:
 * annotations are always present, the annotation itself is left out, a newline ends it. Values of a Secret are blanked: deletions need only the keys.
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#how-apply-calculates-differences-and-merges-changes
 */
export function encodeLastApplied(manifest: KubeObject): string {
  return `${encode(lastApplied(manifest))}\n`;
}

/** What {@link encodeLastApplied} writes, before it is text. */
export function lastApplied(manifest: KubeObject): KubeObject {
  const annotations = omit(manifest.metadata.annotations ?? {}, [SERIN.lastApplied]);
  const noted = { ...manifest, metadata: { ...manifest.metadata, annotations } } as KubeObject;
  if (!isSecret(manifest)) return noted;
  const blanked = ['data', 'stringData']
    .filter((field) => isFields(noted[field]))
    .map((field) => [field, blank(noted[field] as Fields)] as const);
  return { ...noted, ...fieldsOf(blanked) };
}

/** What was applied last, from the live object's annotation. Undefined where there is none, or none that can be read. */
export function readLastApplied(live: KubeObject): KubeObject | undefined {
  const text = live.metadata.annotations?.[SERIN.lastApplied];
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return isFields(read) && isFields(read.metadata) ? (read as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The object to POST: what it shall be, with the annotation that remembers the manifest. Nulls are left out, as kubectl does on creation. */
export function forCreation(desired: KubeObject, overlaid: KubeObject): KubeObject {
  const annotations = { ...overlaid.metadata.annotations, [SERIN.lastApplied]: encodeLastApplied(desired) };
  return withoutNulls({ ...overlaid, metadata: { ...overlaid.metadata, annotations } }) as KubeObject;
}

export function isSecret(object: KubeObject): boolean {
  return object.kind === 'Secret' && object.apiVersion === 'v1';
}

function blank(values: Fields): Fields {
  return fieldsOf(Object.keys(values).map((key) => [key, '']));
}
