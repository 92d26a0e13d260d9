import type { Sha } from '../desired/types.ts';

/** How text for a terminal is drawn. Colour never carries a meaning alone: every line reads the same without it. */
export interface Style {
  readonly colour: boolean;
}

/** Select Graphic Rendition codes, ECMA-48 section 8.3.117. */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;
export type Colour = keyof typeof CODES;

export function paint(text: string, colour: Colour, { colour: on }: Style): string {
  return on ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/** The first digits of a commit: enough to find it, short enough for a phone. */
export function shortSha(commit: Sha): string {
  return commit.slice(0, 8);
}

/** 1 pod, 4 pods. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A value of a manifest on one line, at most `limit` characters. */
export function inline(value: unknown, limit = 120): string {
  if (value === undefined) return '(none)';
  const text = typeof value === 'string' && plain(value) ? value : JSON.stringify(value);
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

function plain(text: string): boolean {
  return text !== '' && /^[\w./:@+=%-]+( [\w./:@+=%-]+)*$/.test(text) && !/^(null|true|false|[\d.]+)$/.test(text);
}

/** Control characters, escape sequences among them, would let a cluster's text redraw the reader's terminal. Colours stay where they are on. */
export function printable(text: string, { colour }: Style = { colour: false }): string {
  const bad = colour ? /(?!\u001b\[\d{1,2}m)[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g : /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
  return text.replace(bad, '�');
}
