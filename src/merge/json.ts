/** A JSON object: fields by name. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same value: the order of fields does not count, the order of items does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  if (!isFields(a) || !isFields(b)) return false;
  const keys = definedKeys(a);
  return keys.length === definedKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** Field names whose value is not undefined: JSON knows no undefined. */
export function definedKeys(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((key) => fields[key] !== undefined);
}

/** The value without fields that are null or undefined, at any depth: how an object is created from a manifest that says null. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  return fieldsOf(
    Object.entries(value)
      .filter(([, v]) => v !== null && v !== undefined)
      .map(([k, v]) => [k, withoutNulls(v)] as const),
  );
}

/** An object of these fields. Unlike an assignment it also keeps a field called __proto__. */
export function fieldsOf(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries);
}

/** The object without the fields named. */
export function omit(fields: Fields, names: readonly string[]): Fields {
  return fieldsOf(Object.entries(fields).filter(([key]) => !names.includes(key)));
}
