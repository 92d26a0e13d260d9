import * as v from 'valibot';
import { InputError, type Mistake } from '../errors.ts';
import { at } from '../objects.ts';
import { locator, type Path, positionOf } from './position.ts';
import { parseDocuments } from './yaml.ts';

/** A mistake before its place is known. `found` only where it is not simply what is written there. */
export interface Problem {
  readonly path: Path;
  readonly expected: string;
  readonly found?: string;
  readonly aim?: 'key' | 'value';
}

/** Looks across fields at a document whose shape may be wrong: what it cannot read it leaves to the schema. */
export type Check = (document: unknown) => readonly Problem[];

/** Longest piece of a file that a message repeats. */
const SHOWN = 60;

/**
 * The one document of a file, as its schema types it.
 * @throws InputError with every mistake that schema and check find, in the order of the text
 */
export function readOne<Schema extends v.GenericSchema>(
  file: string,
  text: string,
  schema: Schema,
  check: Check = () => [],
): v.InferOutput<Schema> {
  refuseConflictMarkers(file, text);
  const documents = parseDocuments(file, text);
  const [document] = documents;
  if (documents.length !== 1) {
    const place = documents.length === 0 ? { line: 1, column: 1 } : positionOf(text, 1, []);
    throw new InputError([
      {
        file,
        line: place.line,
        column: place.column,
        expected: 'one document',
        found: documents.length === 0 ? 'nothing' : `${documents.length} documents`,
      },
    ]);
  }
  const result = v.safeParse(schema, document);
  const problems = [...(result.issues ?? []).map(problemOf), ...check(document)];
  if (problems.length > 0 || !result.success) throw new InputError(mistakesOf(file, text, 0, document, problems));
  return result.output;
}

function problemOf(issue: v.BaseIssue<unknown>): Problem {
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const unknown = issue.type === 'later' || (issue.path?.at(-1)?.origin === 'key' && issue.input !== undefined);
  return { path, expected: issue.message, ...(unknown ? { aim: 'key' } : {}) };
}

/** Gives every problem its place and what is written there; the order is that of the text. */
export function mistakesOf(file: string, text: string, index: number, document: unknown, problems: readonly Problem[]): Mistake[] {
  if (problems.length === 0) return [];
  const place = locator(text);
  return problems
    .map(({ path, expected, found, aim }) => {
      const { line, column, written } = place(index, path, aim);
      const shown = found ?? (aim === 'key' ? String(path.at(-1)) : describe(at(document, ...path), written));
      return { file, line, column, expected, found: shown.length > SHOWN ? `${shown.slice(0, SHOWN - 1)}…` : shown };
    })
    .sort(byPlace);
}

const byPlace = (a: Mistake, b: Mistake): number => a.line - b.line || a.column - b.column;

function describe(value: unknown, written: string | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (written !== undefined && !written.startsWith('*')) return written.split('\n')[0] ?? '';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
  return String(value);
}

const MARKER = /^(<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|$).*$/m;

/** Git leaves these where two changes met; such a file is neither of the two. */
function refuseConflictMarkers(file: string, text: string): void {
  const match = MARKER.exec(text);
  if (match === null) return;
  const line = text.slice(0, match.index).split('\n').length;
  throw new InputError([{ file, line, column: 1, expected: 'a file without conflict markers', found: match[0].trim().slice(0, SHOWN) }]);
}

/** What came of reading one file: the value, or its mistakes. */
export type Reading<T> = { readonly value: T } | { readonly mistake: InputError };

/** Turns the InputError of a reading into a value, so that other files are read before anything is thrown. */
export function attempt<T>(read: () => T): Reading<T> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof InputError) return { mistake: error };
    throw error;
  }
}

/** The values of all readings. @throws InputError with the mistakes of all of them together, file by file, when there is one */
export function gather<T>(readings: readonly Reading<T>[]): T[] {
  const mistakes = readings.flatMap((reading) => ('mistake' in reading ? reading.mistake.mistakes : []));
  const files = [...new Set(mistakes.map(({ file }) => file))];
  if (mistakes.length > 0) throw new InputError(files.flatMap((file) => mistakes.filter((mistake) => mistake.file === file).sort(byPlace)));
  return readings.flatMap((reading) => ('value' in reading ? [reading.value] : []));
}
