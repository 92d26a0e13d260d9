import { isFields } from './json.ts';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/**
 * JSON as Go's encoding/json writes a map: keys sorted by their UTF-8 bytes, no spaces, `<`, `>`, `&`, U+2028 and U+2029 escaped.
 * Without the newline that Go's Encoder adds.
 * @see https://pkg.go.dev/encoding/json#Marshal
 */
export function encode(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => encode(item === undefined ? null : item)).join(',')}]`;
  if (isFields(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    return `{${keys
      .sort(byUtf8)
      .map((key) => `${quote(key)}:${encode(value[key])}`)
      .join(',')}}`;
  }
  if (typeof value === 'string') return quote(value);
  return JSON.stringify(value);
}

/** UTF-8 bytes sort as code points do; JavaScript's own order is by UTF-16 units and puts U+FFFD after an emoji. */
export function byUtf8(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const order = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped
  return `"${text.toWellFormed().replace(/[\u0000-\u001f"\\<>&\u2028\u2029]/g, (char) => escapes[char] ?? unicode(char))}"`;
}

function unicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
