import { type Fields, fieldsOf, isFields, omit } from './json.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A Secret as the API server stores it: stringData moved into data over what was there, base64 without line breaks. */
export function storedSecret(secret: Fields): Fields {
  const plain = isFields(secret.stringData) ? secret.stringData : {};
  const given = isFields(secret.data) ? secret.data : {};
  const data = {
    ...mapValues(given, (value) => (typeof value === 'string' ? value.replace(/\s/g, '') : value)),
    ...mapValues(plain, (value) => (typeof value === 'string' ? base64(utf8(value)) : value)),
  };
  const rest = omit(secret, ['stringData']);
  return secret.data === undefined && secret.stringData === undefined ? rest : { ...rest, data };
}

/** What may be shown of a Secret's values: how long they are. A whole map is masked value by value. */
export function masked(value: unknown): unknown {
  if (isFields(value)) return mapValues(value, masked);
  if (value === undefined || value === null) return value;
  const text = typeof value === 'string' ? value : '';
  const padding = /=*$/.exec(text)?.[0].length ?? 0;
  return `***(${Math.floor((text.length * 3) / 4) - padding} bytes)`;
}

function mapValues(fields: Fields, change: (value: unknown) => unknown): Fields {
  return fieldsOf(Object.entries(fields).map(([key, value]) => [key, change(value)]));
}

/** The UTF-8 bytes of a text; half of a surrogate pair becomes U+FFFD, as everywhere. */
function utf8(text: string): readonly number[] {
  return [...text.toWellFormed()].flatMap((char) => {
    const code = char.codePointAt(0) ?? 0;
    const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f);
    if (code < 0x80) return [code];
    if (code < 0x800) return [0xc0 | (code >> 6), tail(0)];
    if (code < 0x10000) return [0xe0 | (code >> 12), tail(6), tail(0)];
    return [0xf0 | (code >> 18), tail(12), tail(6), tail(0)];
  });
}

function base64(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.slice(at, at + 3);
    const block = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    const digit = (shift: number) => alphabet.charAt((block >> shift) & 0x3f);
    text += digit(18) + digit(12) + (b === undefined ? '=' : digit(6)) + (c === undefined ? '=' : digit(0));
  }
  return text;
}
