import { covers, fieldOf, isKeyed, isVacant } from './equal.ts';
import { type Fields, fieldsOf, isFields, sameJson, withoutNulls } from './json.ts';
import { mergeList } from './target-list.ts';
import type { MergeField, MergeSchema } from './types.ts';

/** One value as it stands on every side of the merge; undefined where a side has none. */
export interface Sides {
  readonly base: unknown;
  readonly desired: unknown;
  readonly overlaid: unknown;
  readonly live: unknown;
}

/**
 * Fields of which an object has one at most, and whose schema does not say so with retainKeys: an env entry, a probe, a lifecycle handler.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
const unions: readonly (readonly string[])[] = [
  ['value', 'valueFrom'],
  ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'],
];

/**
 * What one value shall become; undefined when it shall be gone. Where live means the same, live's own spelling is kept, so that nothing differs.
 * Removed is what was applied last and has gone from both the manifest and its overlays; what only live has stays.
 * @param where names of the fields above, outermost first
 */
export function mergeValue(sides: Sides, field: MergeField | undefined, where: readonly string[]): unknown {
  const { base, desired, overlaid, live } = sides;
  if (overlaid === undefined) return desired === undefined && isSet(base) ? withoutOurs(sides, field, where) : live;
  // kubectl's JSON merge ignores a null that was there before and is there still; in built-in types it always removes
  if (overlaid === null) return field === undefined && base === null ? live : undefined;
  if (live === undefined && isVacant(overlaid, field?.of())) return undefined;
  if (isKeyed(field) && Array.isArray(overlaid) && Array.isArray(live)) return mergeList(sides, field, where);
  if (!isFields(overlaid) || !isFields(live) || field?.strategies.includes('replace')) {
    return live !== undefined && covers(overlaid, live, base, field?.of(), where) ? live : withoutNulls(overlaid);
  }
  return mergeFields(sides, field?.of(), field?.strategies.includes('retainKeys') ?? false, where);
}

/** The fields of one object, merged. With retainKeys (a union such as a volume) a change of ours removes what we do not mention. */
export function mergeFields(sides: Sides, schema: MergeSchema | undefined, retainKeys: boolean, where: readonly string[]): Fields {
  const [base, desired, overlaid, live] = [sides.base, sides.desired, sides.overlaid, sides.live].map((side) =>
    isFields(side) ? side : {},
  ) as [Fields, Fields, Fields, Fields];
  const merged = new Map<string, unknown>();
  for (const key of new Set([...Object.keys(live), ...Object.keys(overlaid)])) {
    const side = (of: Fields) => (Object.hasOwn(of, key) ? of[key] : undefined);
    const value = mergeValue(
      { base: side(base), desired: side(desired), overlaid: side(overlaid), live: side(live) },
      fieldOf(schema, key),
      [...where, key],
    );
    if (value !== undefined) merged.set(key, value);
  }
  const isOurs = (key: string) => isSet(overlaid[key]);
  const changed = [...merged].some(([key, value]) => isOurs(key) && !sameJson(value, live[key]));
  const excluded = retainKeys && changed ? [...merged.keys()] : excludedByUnions(overlaid, schema);
  return fieldsOf([...merged].filter(([key]) => isOurs(key) || !excluded.includes(key)));
}

/** Members of a union beside the one that we set: the server would refuse the object if somebody else's stayed. */
function excludedByUnions(overlaid: Fields, schema: MergeSchema | undefined): readonly string[] {
  const isUnion = (members: readonly string[]) => members.filter((name) => schema?.fields[name] !== undefined).length > 1;
  return unions.filter((members) => isUnion(members) && members.some((name) => isSet(overlaid[name]))).flat();
}

/** What is left of live when we give a field up. Of labels, other maps and keyed lists only our own entries go: others may have added theirs. */
function withoutOurs(sides: Sides, field: MergeField | undefined, where: readonly string[]): unknown {
  const { base, live } = sides;
  if (isKeyed(field) && Array.isArray(base) && Array.isArray(live)) {
    const left = mergeList({ ...sides, desired: [], overlaid: [] }, field, where);
    return left.length === 0 ? undefined : left;
  }
  const isMap = field?.of().values !== undefined || (where[0] === 'metadata' && where.length === 2);
  if (!isMap || !isFields(base) || !isFields(live)) return undefined;
  const left = mergeFields({ ...sides, desired: {}, overlaid: {} }, field?.of(), false, where);
  return Object.keys(left).length === 0 ? undefined : left;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
