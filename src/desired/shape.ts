import * as v from 'valibot';
import { type Instant, instant, type Percent, parseDuration, percent, type Seconds } from '../units.ts';
import type { Revision, Sha } from './types.ts';

/*
 * The building blocks of what a user writes. The message of every schema is what was wanted, in words: it goes behind "expected" as it is.
 */

/** A map of exactly these fields: an unknown one is a mistake, with the nearest name when there is a near one. All of them are reported, not only the first. */
export function fields<const Entries extends v.ObjectEntries>(title: string, entries: Entries): v.ObjectSchema<Entries, string> {
  const names = Object.keys(entries);
  const base = v.object(entries, `a map of ${names.join(', ')}`);
  const run = base['~run'].bind(base);
  return Object.assign(base, {
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const input = dataset.value;
      if (Array.isArray(input)) return run({ value: undefined }, config);
      const result = run(dataset, config);
      const missing = (result.issues ?? []).filter((issue) => issue.path?.length === 1 && issue.path[0].origin === 'key');
      for (const issue of missing)
        Object.assign(issue, { message: `${issue.path?.[0].key}: ${wordsOf(entries[String(issue.path?.[0].key)])}` });
      const replaced = result.issues?.some((issue) => (issue.type as string) === 'later' && issue.path?.length === 1);
      if (replaced) result.issues = result.issues?.filter((issue) => !missing.includes(issue)) as typeof result.issues;
      for (const name of typeof input === 'object' && input !== null ? Object.keys(input) : []) {
        if (!Object.hasOwn(entries, name))
          v._addIssue(base, 'key', result as never, config, unknownField(title, names, input, name) as never);
      }
      return result;
    },
  }) as v.ObjectSchema<Entries, string>;
}

function unknownField(title: string, names: readonly string[], input: unknown, name: string): object {
  const near = nearest(name, names);
  const message = `a field of ${title}: one of ${names.join(', ')}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
  return { input: name, message, path: [{ type: 'object', origin: 'key', input, key: name, value: undefined }] };
}

function wordsOf(schema: unknown): string {
  const message: unknown = (schema as { message?: unknown } | undefined)?.message;
  return typeof message === 'string' ? message : 'a value';
}

/** The name that differs by the fewest letters, when those are few enough to be a slip. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const ranked = [...names].map((other) => ({ other, distance: distance(name.toLowerCase(), other.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.other : undefined;
}

/** Letters to insert, delete or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      next.push(Math.min((row[j + 1] as number) + 1, (next[j] as number) + 1, (row[j] as number) + (letter === to[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** A value that a test accepts; `expected` says in words which. */
export function where<T>(accepts: (value: unknown) => boolean, expected: string): v.CustomSchema<T, string> {
  return v.custom<T, string>(accepts, expected);
}

export function text(expected: string): v.CustomSchema<string, string> {
  return where<string>((value) => typeof value === 'string' && value.trim() !== '', expected);
}

export function matching<T extends string = string>(pattern: RegExp, expected: string): v.CustomSchema<T, string> {
  return where<T>((value) => typeof value === 'string' && pattern.test(value), expected);
}

/** One word of a few; `later` are words of the design that this version does not know yet, refused by name rather than ignored. */
export function oneOf<const T extends string>(
  words: readonly T[],
  later: readonly string[] = [],
): v.CustomSchema<T, v.ErrorMessage<v.CustomIssue>> {
  const plain = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
  return v.custom<T, v.ErrorMessage<v.CustomIssue>>(
    (value) => words.includes(value as T),
    (issue) => (later.includes(issue.input as string) ? `${plain} (${issue.input} is not yet supported by this version)` : plain),
  );
}

/** A field of the design that this version does not know yet. Its issue has the type "later", and then nobody asks for what would stand in its place. */
export function later(instead: string): v.ExactOptionalSchema<v.CustomSchema<never, string>, undefined> {
  const refuses = v.custom<never, string>(() => false, `${instead} (this is not yet supported by this version)`);
  return v.exactOptional(Object.assign(refuses, { type: 'later' }));
}

export function list<T extends v.GenericSchema>(item: T, expected: string): v.ArraySchema<T, string> {
  return v.array(item, expected);
}

/** A list with at least one entry. */
export function some<T extends v.GenericSchema>(item: T, expected: string) {
  return v.pipe(v.array(item, expected), v.minLength(1, expected));
}

/** A map from names to values of one shape. */
export function mapOf<T extends v.GenericSchema>(value: T, expected: string) {
  return v.pipe(
    where<Record<string, unknown>>((given) => typeof given === 'object' && given !== null && !Array.isArray(given), expected),
    v.record(v.string(), value, expected),
  );
}

/** RFC 1123 label, as Kubernetes wants it of namespaces and label values built from names. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
export const label = (what: string) => matching(LABEL, `${what}: lower-case letters, digits and dashes, at most 63`);

export function isWeight(value: unknown): value is Percent {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100;
}
export const weight = where<Percent>(isWeight, 'a whole percent from 0 to 100');

/** 20 or 20%. */
export const share = v.pipe(
  where<number | string>(
    (value) => isWeight(typeof value === 'string' && /^\d+%$/.test(value) ? Number.parseInt(value, 10) : value),
    'a whole percent from 0 to 100, such as 20%',
  ),
  v.transform((value): Percent => percent(typeof value === 'string' ? Number.parseInt(value, 10) : value)),
);

export const length = v.pipe(
  where<string>((value) => typeof value === 'string' && parseDuration(value) !== undefined, 'a duration such as 10m or 2d'),
  v.transform((value) => parseDuration(value) as Seconds),
);

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/;
export const time = v.pipe(
  where<string>(
    (value) => typeof value === 'string' && RFC3339.test(value) && !Number.isNaN(Date.parse(value)),
    'a time such as 2026-11-20T14:02:11Z',
  ),
  v.transform((value): Instant => instant(value)),
);

export const revision = matching<Revision>(/^[0-9a-f]{10}$/, 'a revision: 10 hex digits, in quotes where YAML would read a number');
export const commit = matching<Sha>(/^[0-9a-f]{40}$/, 'a commit: 40 hex digits, in quotes where YAML would read a number');

/** The three fields that each of our files starts with. */
export function envelope<const Entries extends v.ObjectEntries>(kind: string, name: string, entries: Entries) {
  return fields(kind, {
    apiVersion: oneOf(['serin.dev/v1alpha1']),
    kind: oneOf([kind]),
    metadata: fields('metadata', { name: label(name) }),
    ...entries,
  });
}
