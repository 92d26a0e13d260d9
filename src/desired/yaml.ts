import {
  binaryTag,
  boolYaml11Tag,
  defineMappingTag,
  defineScalarTag,
  loadAll,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  Schema,
  seqTag,
  strTag,
  YAMLException,
} from 'js-yaml';
import { InputError } from '../errors.ts';

/** A value that would reach the cluster as another one than the file says. `literal` is its text, by which it is found; `found` is what is told of it. */
class Refusal extends Error {
  readonly expected: string;
  readonly found: string;
  readonly literal: string;
  constructor(expected: string, found: string, literal: string) {
    super(expected);
    this.expected = expected;
    this.found = found;
    this.literal = literal;
  }
}

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INFINITE = /^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$/;
const RADIX = [
  { literal: /^0[xX]([0-9a-fA-F]+)$/, prefix: '0x' },
  { literal: /^0[bB]([01]+)$/, prefix: '0b' },
  { literal: /^0[oO]?([0-7]+)$/, prefix: '0o' },
  { literal: /^(0|[1-9][0-9]*)$/, prefix: '' },
] as const;

/** Whole numbers as Go's strconv.ParseInt(s, 0, 64) reads them, underscores taken out first. */
function wholeNumber(source: string): number | typeof NOT_RESOLVED {
  const plain = source.replaceAll('_', '');
  const digits = plain.replace(/^[-+]/, '');
  for (const { literal, prefix } of RADIX) {
    const match = literal.exec(digits);
    if (match === null) continue;
    const exact = BigInt(prefix + match[1]);
    const value = Number(exact);
    if (BigInt(value) !== exact)
      throw new Refusal('a number that is exact in JSON, or the same in quotes', `a number of ${digits.length} digits`, source);
    return plain.startsWith('-') && value !== 0 ? -value : value;
  }
  return NOT_RESOLVED;
}

function fraction(source: string): number | typeof NOT_RESOLVED {
  if (INFINITE.test(source)) throw new Refusal('a number that JSON can carry', source, source);
  const plain = source.startsWith('.') ? source : source.replaceAll('_', '');
  const value = FLOAT.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? value : NOT_RESOLVED;
}

const never = { identify: () => false };
const signedDigits = [...'-+0123456789'];
const intTag = defineScalarTag('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: signedDigits,
  resolve: wholeNumber,
  ...never,
});
const floatTag = defineScalarTag('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: ['.', ...signedDigits],
  resolve: fraction,
  ...never,
});

/** Base64 of UTF-8 text becomes that text, as with kubectl; other bytes belong under binaryData, where kubectl would write replacement characters. */
const textTag = defineScalarTag('tag:yaml.org,2002:binary', {
  resolve: (source, isExplicit, tagName) => {
    const bytes = binaryTag.resolve(source, isExplicit, tagName);
    if (bytes === NOT_RESOLVED) return NOT_RESOLVED;
    try {
      return decodeURIComponent(Array.from(bytes as Uint8Array, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
    } catch {
      throw new Refusal('base64 of UTF-8 text', 'other bytes, which go under binaryData', source);
    }
  },
  ...never,
});

/** JSON has no null key; neither has kubectl. */
const objectTag = defineMappingTag('tag:yaml.org,2002:map', {
  create: mapTag.create,
  addPair: (container: Record<string, unknown>, key, value) =>
    key === null ? 'a key is text, not null' : mapTag.addPair(container, key, value),
  has: mapTag.has,
  keys: mapTag.keys,
  get: mapTag.get,
  identify: mapTag.identify,
  represent: mapTag.represent,
});

/**
 * YAML as kubectl reads it (sigs.k8s.io/yaml over go-yaml 2, its resolve.go): octal 0644, yes and on, 1_000, merge keys; dates and 12:30 stay text.
 * Stricter in four things, each of which would silently change what reaches the cluster: duplicate keys, numbers that JSON cannot
 * carry exactly, unknown tags, and !!binary that is no text.
 */
const KUBECTL = new Schema([strTag, seqTag, objectTag, nullYaml11Tag, boolYaml11Tag, intTag, floatTag, mergeTag, textTag]);

/** A document that unfolds to more values than this through its aliases is an attack or a mistake; go-yaml has such a limit as well. */
const MOST_VALUES = 100_000;

/**
 * All documents of one file; empty ones are dropped.
 * @throws InputError with the line and column of what is no YAML
 */
export function parseDocuments(file: string, text: string): unknown[] {
  const documents = load(file, text).filter((document) => document !== null && document !== undefined);
  if (text.includes('*') && documents.some((document) => unfolded(document, new Map()) > MOST_VALUES)) {
    const expected = `a text that unfolds to at most ${MOST_VALUES} values`;
    throw new InputError([{ file, line: 1, column: 1, expected, found: 'more, through its aliases' }]);
  }
  return documents;
}

function load(file: string, text: string): unknown[] {
  try {
    return loadAll(text, { schema: KUBECTL });
  } catch (error) {
    throw new InputError([{ file, ...syntaxMistake(text, error) }]);
  }
}

/** Values in a tree where each alias is its anchor's copy. Counted once for each anchor, not once for each alias. */
function unfolded(value: unknown, counted: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const before = counted.get(value);
  if (before !== undefined) return before;
  counted.set(value, Number.POSITIVE_INFINITY);
  const total = Object.values(value).reduce<number>((sum, inner) => sum + unfolded(inner, counted), 1);
  counted.set(value, total);
  return total;
}

/** What the parser's commonest complaints mean for the one who wrote the file. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  'duplicated mapping key': 'each key once in a map',
  'deficient indentation': 'a list or map that is closed, indented deeper than its key',
  'unexpected end of the stream within a flow collection': 'a list or map that is closed',
  'bad indentation of a mapping entry': 'a key at the same indentation as its neighbours, with its value behind a colon',
  'bad indentation of a sequence entry': 'a list entry at the same indentation as its neighbours',
  'a key is text, not null': 'a key that is text',
};

/** Names the line and its key, never the value behind it: a manifest may hold a secret. */
function syntaxMistake(text: string, error: unknown): { line: number; column: number; expected: string; found: string } {
  if (error instanceof Refusal) {
    return { ...placeAt(text, Math.max(0, text.indexOf(error.literal))), expected: error.expected, found: error.found };
  }
  if (!(error instanceof YAMLException)) throw error;
  const line = (error.mark?.line ?? 0) + 1;
  const column = (error.mark?.column ?? 0) + 1;
  const written = text.split('\n')[line - 1]?.trim() ?? '';
  const key = /^(- +)*["']?[\w./-]{1,60}["']? *:(?= |$)/.exec(written)?.[0];
  const found = written === '' ? 'the end of the text' : key === undefined ? 'a line that is none' : `${key}${key === written ? '' : ' …'}`;
  return { line, column, expected: PLAIN_WORDS[error.reason] ?? `valid YAML (${error.reason.replace(/ ?[!"'<`].*$/s, '')})`, found };
}

function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
