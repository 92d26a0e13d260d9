import { isFields } from './json.ts';
import type { TypedSchema } from './schema.ts';
import type { MergeField } from './types.ts';

/** Gives every item of one list a name of its own. */
export type Identify = (list: readonly unknown[]) => readonly string[];

/**
 * How the items of a list are told apart on all sides at once: by the patch merge key, as kubectl does, as long as no side has that key twice.
 * Where one has (TCP and UDP on one port, one env name twice) by all keys of the list map, with the server's defaults filled in, and then by position.
 * @see https://github.com/kubernetes/kubernetes/issues/105610
 */
export function identify(field: MergeField, sides: readonly (readonly unknown[])[]): Identify {
  const byKey = (item: unknown) => idOf(item, field.key);
  if (!sides.some((list) => repeats(list.map(byKey)))) return (list) => list.map(byKey);
  const keys = field.listMapKeys ?? (field.key === undefined ? [] : [field.key]);
  const defaults = (field.of() as TypedSchema).defaults ?? {};
  return (list) => numbered(list.map((item) => JSON.stringify(keys.map((key) => (isFields(item) ? (item[key] ?? defaults[key]) : item)))));
}

/** The item's name by its merge key alone; a scalar is its own name. */
export function idOf(item: unknown, key: string | undefined): string {
  return JSON.stringify([isFields(item) && key !== undefined ? item[key] : item]);
}

export function repeats(ids: readonly string[]): boolean {
  return new Set(ids).size < ids.length;
}

/** The name of the first item with the same keys: the item itself where no keys repeat. */
export function firstOf(id: string): string {
  return id.replace(/#\d+$/, '#0');
}

function numbered(ids: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return ids.map((id) => {
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return `${id}#${count}`;
  });
}
