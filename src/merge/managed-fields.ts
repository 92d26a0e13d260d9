import type { KubeObject, ManagedFields } from '../objects.ts';
import { type Fields, isFields, sameJson } from './json.ts';

/** One step from an object to a value below it: a field, or an item of a list with the item itself. */
export type FieldStep = { readonly field: string } | { readonly item: unknown };

/**
 * Who wrote the value at a path last, from managedFields. Undefined where nobody is named.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#managed-fields
 */
export function ownerOf(object: KubeObject, path: readonly FieldStep[]): ManagedFields | undefined {
  const owners = (object.metadata.managedFields ?? []).filter(({ fieldsV1 }) => owns(fieldsV1, path));
  return owners.sort((a, b) => (a.time ?? '').localeCompare(b.time ?? '')).at(-1);
}

/** A path is owned when the set holds it, or ends above it in a field that is owned as a whole (a list that is replaced, for example). */
function owns(set: unknown, path: readonly FieldStep[]): boolean {
  if (!isFields(set)) return false;
  const [step, ...rest] = path;
  if (step === undefined) return true;
  return Object.entries(set).some(([name, below]) => names(name, step) && (isWhole(below) || owns(below, rest)));
}

function isWhole(below: unknown): boolean {
  return isFields(below) && Object.keys(below).length === 0;
}

/** Names in fieldsV1: f:FIELD, k:{"name":"app"} for an item by its keys, v:"value" for an item of a set. */
function names(name: string, step: FieldStep): boolean {
  if ('field' in step) return name === `f:${step.field}`;
  if (name.startsWith('v:')) return sameJson(parsed(name), step.item);
  if (!name.startsWith('k:') || !isFields(step.item)) return false;
  const keys = parsed(name);
  const item: Fields = step.item;
  return isFields(keys) && Object.entries(keys).every(([key, value]) => sameJson(value, item[key]));
}

function parsed(name: string): unknown {
  try {
    return JSON.parse(name.slice(2));
  } catch {
    return undefined;
  }
}
