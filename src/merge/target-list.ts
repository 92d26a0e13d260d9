import { firstOf, type Identify, identify } from './identity.ts';
import { type Fields, isFields, sameJson, withoutNulls } from './json.ts';
import { interleave } from './list-order.ts';
import type { TypedSchema } from './schema.ts';
import { mergeFields, type Sides } from './target.ts';
import type { MergeField } from './types.ts';

/** Lists whose order means something: init containers run one after the other, and an env entry may use $(NAME) of an earlier one. */
const ordered: readonly string[] = ['initContainers', 'env'];

interface Item {
  readonly id: string;
  readonly value: unknown;
}

/**
 * A list merged item by item. Items that only live has stay where they are, unless they repeat one of ours: an env name of ours that somebody sets again.
 * Live's order stays too, unless ours means something or an item is new.
 */
export function mergeList(sides: Sides, field: MergeField, where: readonly string[]): readonly unknown[] {
  const items = (side: unknown): readonly unknown[] => (Array.isArray(side) ? side : []);
  const identified = identify(field, [sides.base, sides.desired, sides.overlaid, sides.live].map(items));
  const [base, desired] = [named(items(sides.base), identified), named(items(sides.desired), identified)];
  const [overlaid, live] = [named(items(sides.overlaid), identified), named(items(sides.live), identified)];
  const kept: Item[] = [];
  for (const [id, value] of live) {
    const item = { base: base.get(id), desired: desired.get(id), overlaid: overlaid.get(id), live: value };
    if (overlaid.has(id)) kept.push({ id, value: mergeItem(item, field, where) });
    else if (!overlaid.has(firstOf(id)) && (!base.has(id) || desired.has(id))) kept.push({ id, value });
  }
  const added = [...overlaid].filter(([id]) => !live.has(id)).map(([id, value]) => ({ id, value: withoutNulls(value) }));
  const isOrdered = added.length > 0 || ordered.includes(where.at(-1) ?? '');
  if (!isOrdered) return kept.map(({ value }) => value);
  const before = [...live].map(([id, value]) => ({ id, value }));
  return interleave([...kept, ...added], [...overlaid.keys()], before, ({ id }) => id).map(({ value }) => value);
}

function named(list: readonly unknown[], identified: Identify): ReadonlyMap<string, unknown> {
  return new Map(identified(list).map((id, at) => [id, list[at]]));
}

function mergeItem(sides: Sides, field: MergeField, where: readonly string[]): unknown {
  if (!isFields(sides.overlaid) || !isFields(sides.live)) return sides.live;
  const merged = mergeFields(sides, field.of(), field.strategies.includes('retainKeys'), where);
  return { ...merged, ...missingKeys(sides.overlaid, sides.live, field) };
}

/** A key of the list map that Git leaves out means the server's default: a port without a protocol is TCP, also where live says UDP. */
function missingKeys(overlaid: Fields, live: Fields, field: MergeField): Fields {
  const defaults = (field.of() as TypedSchema).defaults ?? {};
  const missing = (field.listMapKeys ?? []).filter(
    (key) => overlaid[key] === undefined && defaults[key] !== undefined && live[key] !== undefined && !sameJson(defaults[key], live[key]),
  );
  return Object.fromEntries(missing.map((key) => [key, defaults[key]]));
}
