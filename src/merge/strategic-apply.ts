import { fieldOf, isKeyed } from './equal.ts';
import { idOf } from './identity.ts';
import { type Fields, fieldsOf, isFields, omit } from './json.ts';
import { interleave } from './list-order.ts';
import type { MergeField, MergeSchema } from './types.ts';

const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/**
 * Live as the API server will have it after a strategic merge patch, before it fills in defaults.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
 */
export function applyStrategic(live: Fields, patch: Fields, schema: MergeSchema | undefined): Fields {
  if (patch.$patch === 'replace') return omit(patch, ['$patch']);
  if (patch.$patch === 'delete') return {};
  const retained = patch.$retainKeys;
  const merged = new Map(Object.entries(live).filter(([key]) => !Array.isArray(retained) || retained.includes(key)));
  for (const key of namesIn(patch)) {
    const value = applyField(merged.get(key), patch, key, fieldOf(schema, key));
    if (value === undefined) merged.delete(key);
    else merged.set(key, value);
  }
  return fieldsOf(merged);
}

/** Names of the fields that a patch speaks of, also by a directive alone. */
function namesIn(patch: Fields): ReadonlySet<string> {
  const plain = Object.keys(patch).map((key) => key.replace(/^\$(setElementOrder|deleteFromPrimitiveList)\//, ''));
  return new Set(plain.filter((key) => key !== '$retainKeys'));
}

function applyField(live: unknown, patch: Fields, key: string, field: MergeField | undefined): unknown {
  const merged = Object.hasOwn(patch, key) ? applyValue(live, patch[key], field) : live;
  if (!Array.isArray(merged)) return merged;
  const [order, removed] = [patch[orderPrefix + key], patch[deletePrefix + key]];
  const name = (item: unknown) => idOf(item, field?.key);
  const sorted = Array.isArray(order) ? interleave(merged, order.map(name), Array.isArray(live) ? live : [], name) : merged;
  return Array.isArray(removed) ? sorted.filter((item) => !removed.includes(item)) : sorted;
}

function applyValue(live: unknown, patch: unknown, field: MergeField | undefined): unknown {
  if (patch === null) return undefined;
  if (isFields(live) && isFields(patch)) return field?.strategies.includes('replace') ? patch : applyStrategic(live, patch, field?.of());
  if (Array.isArray(live) && Array.isArray(patch)) return isKeyed(field) ? applyList(live, patch, field) : patch;
  return withoutDirectives(patch);
}

function applyList(live: readonly unknown[], patch: readonly unknown[], field: MergeField): readonly unknown[] {
  const name = (item: unknown) => idOf(item, field.key);
  const directive = (item: unknown) => (isFields(item) ? item.$patch : undefined);
  const plain = patch.filter((item) => directive(item) === undefined);
  // the server still sorts what it was given: items with the same key come to stand together
  if (patch.some((item) => directive(item) === 'replace')) return interleave(plain, [], plain, name);
  const deleted = new Set(patch.filter((item) => directive(item) === 'delete').map(name));
  const merged = live.filter((item) => !deleted.has(name(item)));
  for (const item of plain) {
    const at = merged.findIndex((other) => name(other) === name(item));
    const here = merged[at];
    if (at < 0) merged.push(item);
    else if (isFields(here) && isFields(item)) merged[at] = applyStrategic(here, item, field.of());
  }
  return interleave(merged, plain.map(name), live, name);
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isFields(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const kept = Object.entries(value).map(([key, v]) => [key, v === null ? undefined : withoutDirectives(v)] as const);
  return fieldsOf(kept.filter(([, v]) => v !== undefined));
}
