import { type Fields, isFields, sameJson } from './json.ts';
import { billionths } from './quantity.ts';
import type { TypedSchema } from './schema.ts';
import type { MergeField, MergeSchema } from './types.ts';

/** Rules for one field of a type; for a map, the rules of its values. Undefined for what no schema describes, such as a custom resource. */
export function fieldOf(schema: MergeSchema | undefined, name: string): MergeField | undefined {
  if (schema === undefined) return undefined;
  if (Object.hasOwn(schema.fields, name)) return schema.fields[name];
  return schema.values === undefined ? undefined : { strategies: [], of: schema.values };
}

/**
 * Whether two scalars mean the same to the API server: 1000m and 1 where a quantity stands, 80 and "80" where either may.
 * @param where names of the fields above, outermost first: without a schema, limits and requests tell a quantity
 */
export function sameScalar(a: unknown, b: unknown, schema: MergeSchema | undefined, where: readonly string[]): boolean {
  if (a === b) return true;
  const scalar = (schema as TypedSchema | undefined)?.scalar ?? (schema === undefined && looksLikeQuantity(where) ? 'quantity' : undefined);
  if (scalar === 'int-or-string') return isScalar(a) && isScalar(b) && String(a) === String(b);
  if (scalar !== 'quantity') return false;
  const left = billionths(a);
  return left !== undefined && left === billionths(b);
}

/**
 * Whether live already is what a list item, or anything below one that is replaced whole, asks for.
 * A live field that nobody mentions is a server's default and no difference; one that was applied last and is gone is.
 */
export function covers(wanted: unknown, live: unknown, base: unknown, schema: MergeSchema | undefined, where: readonly string[]): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) &&
      wanted.length === live.length &&
      wanted.every((item, at) => covers(item, live[at], Array.isArray(base) ? base[at] : undefined, schema, where))
    );
  }
  if (!isFields(wanted)) return wanted === live || sameScalar(wanted, live, schema, where);
  if (!isFields(live)) return isVacant(wanted, schema) && live === undefined;
  const before: Fields = isFields(base) ? base : {};
  const dropped = Object.keys(before).some((key) => !Object.hasOwn(wanted, key) && live[key] !== undefined);
  return (
    !dropped && Object.keys(wanted).every((key) => coversField(wanted[key], live[key], before[key], fieldOf(schema, key), [...where, key]))
  );
}

function coversField(wanted: unknown, live: unknown, base: unknown, field: MergeField | undefined, where: readonly string[]): boolean {
  if (wanted === null || wanted === undefined) return live === undefined || live === null;
  const schema = field?.of();
  if (live === undefined) return isVacant(wanted, schema);
  return covers(wanted, live, base, schema, where);
}

/** Empty texts, lists and maps of built-in types are left out by the API server (env value: ""); an empty object such as emptyDir: {} is not, nor is false. */
export function isVacant(wanted: unknown, schema: MergeSchema | undefined): boolean {
  if (schema === undefined) return false;
  if (wanted === '') return true;
  if (Array.isArray(wanted)) return wanted.length === 0;
  return isFields(wanted) && schema.values !== undefined && Object.keys(wanted).length === 0;
}

/** Whether two whole objects mean the same: fields both ways, scalars by meaning, keyed lists in any order. */
export function sameMeaning(a: unknown, b: unknown, schema: MergeSchema | undefined, where: readonly string[] = []): boolean {
  if (isFields(a) && isFields(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.every((key) => {
      const field = fieldOf(schema, key);
      if (isKeyed(field) && Array.isArray(a[key]) && Array.isArray(b[key])) return sameItems(a[key], b[key], field, [...where, key]);
      return sameMeaning(a[key], b[key], field?.of(), [...where, key]);
    });
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => sameMeaning(item, b[at], schema, where));
  return (
    sameJson(a, b) ||
    sameScalar(a, b, schema, where) ||
    (a === undefined && isVacant(b, schema)) ||
    (b === undefined && isVacant(a, schema))
  );
}

function sameItems(a: readonly unknown[], b: readonly unknown[], field: MergeField | undefined, where: readonly string[]): boolean {
  const left = [...b];
  const found = a.every((item) => {
    const at = left.findIndex((other) => sameMeaning(item, other, field?.of(), where));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return found && left.length === 0;
}

/** Whether a list is merged item by item: by a key, or as a set of scalars. */
export function isKeyed(field: MergeField | undefined): field is MergeField {
  return field?.strategies.includes('merge') ?? false;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function looksLikeQuantity(where: readonly string[]): boolean {
  const parent = where.at(-2);
  return parent === 'limits' || parent === 'requests';
}
