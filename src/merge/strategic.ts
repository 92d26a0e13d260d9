import { fieldOf, isKeyed } from './equal.ts';
import { idOf, repeats } from './identity.ts';
import { type Fields, isFields, omit, sameJson } from './json.ts';
import type { MergeField, MergeSchema } from './types.ts';

export { applyStrategic } from './strategic-apply.ts';

/**
 * The strategic merge patch that turns live into result. It says no more than what changes: no directive travels alone, and no null for what is
 * not there.
 * @see https://github.com/kubernetes/community/blob/main/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function strategicDiff(live: Fields, result: Fields, schema: MergeSchema | undefined, retainKeys = false): Fields {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(result)])) {
    Object.assign(patch, diffField(key, live[key], result[key], fieldOf(schema, key)));
  }
  if (retainKeys && Object.keys(patch).length > 0) patch.$retainKeys = Object.keys(result).sort();
  return patch;
}

function diffField(key: string, live: unknown, result: unknown, field: MergeField | undefined): Fields {
  if (sameJson(live, result)) return {};
  if (result === undefined) return { [key]: null };
  if (isFields(live) && isFields(result) && !field?.strategies.includes('replace')) {
    return { [key]: strategicDiff(live, result, field?.of(), field?.strategies.includes('retainKeys')) };
  }
  if (!isKeyed(field) || !Array.isArray(live) || !Array.isArray(result)) return { [key]: result };
  return field.key === undefined ? diffSet(key, live, result) : diffItems(key, live, result, field, field.key);
}

/** A merged list of scalars, such as finalizers. */
function diffSet(key: string, live: readonly unknown[], result: readonly unknown[]): Fields {
  const added = result.filter((item) => !live.includes(item));
  const removed = live.filter((item) => !result.includes(item));
  return {
    ...(removed.length > 0 ? { [`$deleteFromPrimitiveList/${key}`]: removed } : {}),
    ...(result.length > 0 ? { [`$setElementOrder/${key}`]: result } : {}),
    ...(added.length > 0 ? { [key]: added } : {}),
  };
}

/** Where the merge key is there twice, merging by it would lose items: the whole list is sent instead. */
function diffItems(key: string, live: readonly unknown[], result: readonly unknown[], field: MergeField, mergeKey: string): Fields {
  if ([live, result].some((list) => repeats(list.map((item) => idOf(item, mergeKey)))))
    return { [key]: [{ $patch: 'replace' }, ...result] };
  const keyOf = (item: unknown): Fields => ({ [mergeKey]: (item as Fields)[mergeKey] });
  const before = new Map(live.map((item) => [idOf(item, mergeKey), item as Fields]));
  const after = new Set(result.map((item) => idOf(item, mergeKey)));
  const changed = (result as readonly Fields[]).flatMap((item) => {
    const old = before.get(idOf(item, mergeKey));
    if (old === undefined) return [item];
    const patch = strategicDiff(old, item, field.of(), field.strategies.includes('retainKeys'));
    return Object.keys(patch).length === 0 ? [] : [{ ...keyOf(item), ...omit(patch, [mergeKey]) }];
  });
  const deleted = live.filter((item) => !after.has(idOf(item, mergeKey))).map((item) => ({ $patch: 'delete', ...keyOf(item) }));
  return {
    ...(result.length > 0 ? { [`$setElementOrder/${key}`]: result.map(keyOf) } : {}),
    ...(changed.length + deleted.length > 0 ? { [key]: [...changed, ...deleted] } : {}),
  };
}
