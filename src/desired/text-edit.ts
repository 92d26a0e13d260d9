import { isMap, isPair, isScalar, isSeq, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { attempt } from './reading.ts';
import { parseDocuments } from './yaml.ts';

/*
 * Splices in the text of a YAML document that is a map of maps. Nothing is printed anew: what an edit does not name stays as it is, byte for byte.
 */

/** One small map, in the order in which it is written. */
export type Fields = Readonly<Record<string, string | number>>;

type Map = YAMLMap<unknown, unknown>;
type Entry = Pair<unknown, unknown>;

/** The text with the fields of a top-level block set; a block that is missing is put behind the block named. */
export function setBlock(text: string, key: string, fields: Fields, behind: string): string {
  const root = rootOf(text);
  if (pairOf(root, key) === undefined) return insertPair(text, root, pairOf(root, behind) ?? lastOf(root), key, fields);
  return Object.entries(fields).reduce((edited, [field, value]) => setField(edited, [key, field], value), text);
}

/** The text with one scalar of a top-level block set; undefined takes it out. Where there is no such block nothing changes. */
export function setField(text: string, [block, field]: readonly [string, string], value: string | number | undefined): string {
  const map = pairOf(rootOf(text), block)?.value;
  if (!isMap(map)) return text;
  const pair = pairOf(map, field);
  if (value === undefined) return pair === undefined ? text : removePair(text, map, pair);
  if (pair === undefined) return insertPair(text, map, lastOf(map), field, value);
  return splice(text, startOf(pair.value), endOf(text, pair.value), scalar(value));
}

/** The text without a top-level block. */
export function removeBlock(text: string, key: string): string {
  const root = rootOf(text);
  const pair = pairOf(root, key);
  return pair === undefined ? text : removePair(text, root, pair);
}

/** The text with one more entry at the end of a top-level list, which is made where it is missing. */
export function addEntry(text: string, key: string, fields: Fields): string {
  const root = rootOf(text);
  const pair = pairOf(root, key);
  const items = pair?.value;
  if (pair === undefined || !isSeq(items)) return insertPair(text, root, lastOf(root), key, [fields]);
  const last = items.items.at(-1);
  if (last === undefined)
    return splice(
      text,
      endOf(text, pair.key),
      endOf(text, items),
      `:${root.flow ? ` [${flow(fields)}]` : `${newline(text)}${entry(text, fields, indentOf(text, root) + 2)}`}`,
    );
  if (items.flow) return splice(text, endOf(text, last), endOf(text, last), `, ${flow(fields)}`);
  return insertLines(text, endOf(text, last), entry(text, fields, indentOfList(items)));
}

function rootOf(text: string): Map {
  const root = parseDocument(text, { version: '1.1', uniqueKeys: false, keepSourceTokens: true, logLevel: 'silent' }).contents;
  if (!isMap(root)) throw new RangeError('an edit needs a text that has been parsed before: this one is no map');
  return root;
}

function pairOf(map: Map, key: string): Entry | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function lastOf(map: Map): Entry {
  const last = map.items.at(-1);
  if (last === undefined) throw new RangeError('an edit needs a text that has been parsed before: this map is empty');
  return last;
}

function startOf(node: unknown): number {
  return (node as { range?: readonly number[] | null }).range?.[0] ?? 0;
}

/** Where the last character of a value ends, without the comments and blank lines behind it. */
function endOf(text: string, node: unknown): number {
  if (isPair(node)) return node.value === null ? endOf(text, node.key) : endOf(text, node.value);
  if ((isMap(node) || isSeq(node)) && !node.flow && node.items.length > 0) return endOf(text, node.items.at(-1));
  const [start, end] = (node as { range?: readonly number[] | null }).range ?? [0, 0];
  return (start ?? 0) + text.slice(start, end).trimEnd().length;
}

function removePair(text: string, map: Map, pair: Entry): string {
  const index = map.items.indexOf(pair);
  if (!map.flow) return splice(text, lineStart(text, startOf(pair.key)), nextLine(text, endOf(text, pair)), '');
  const [before, after] = [map.items[index - 1], map.items[index + 1]];
  if (after !== undefined) return splice(text, startOf(pair.key), startOf(after.key), '');
  return splice(text, before === undefined ? startOf(pair.key) : endOf(text, before), endOf(text, pair), '');
}

type Value = string | number | Fields | readonly Fields[];

function insertPair(text: string, map: Map, behind: Entry, key: string, value: Value): string {
  const end = endOf(text, behind);
  if (map.flow) return splice(text, end, end, `, ${key}: ${inline(value)}`);
  const indent = indentOf(text, map);
  return insertLines(text, end, block(text, key, value, indent));
}

function inline(value: Value): string {
  if (typeof value !== 'object') return scalar(value);
  return Array.isArray(value) ? `[${value.map(flow).join(', ')}]` : flow(value as Fields);
}

function block(text: string, key: string, value: Value, indent: number): string {
  const head = `${' '.repeat(indent)}${key}:`;
  if (typeof value !== 'object') return `${head} ${scalar(value)}`;
  const body = Array.isArray(value) ? value.map((fields) => entry(text, fields, indent + 2)) : lines(value as Fields, indent + 2);
  return [head, ...body].join(newline(text));
}

/** - revision: ... with the other fields below it. */
function entry(text: string, fields: Fields, indent: number): string {
  return lines(fields, indent + 2)
    .map((line, index) => (index === 0 ? `${' '.repeat(indent)}- ${line.trimStart()}` : line))
    .join(newline(text));
}

const lines = (fields: Fields, indent: number): string[] =>
  Object.entries(fields).map(([field, value]) => `${' '.repeat(indent)}${field}: ${scalar(value)}`);
const flow = (fields: Fields): string => `{${lines(fields, 0).join(', ')}}`;

/** Plain where that reads back as the same, in double quotes otherwise: a revision of digits alone would be a number. */
export function scalar(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const plain = attempt(() => parseDocuments('', `- ${value}`));
  const same = /^\w[\w.:-]*\w$/.test(value) && 'value' in plain && (plain.value[0] as unknown[])[0] === value;
  if (same) return value;
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whole lines behind the line that has this offset. */
function insertLines(text: string, offset: number, inserted: string): string {
  const next = nextLine(text, offset);
  const closed = text.slice(0, next).endsWith('\n') ? '' : newline(text);
  return splice(text, next, next, `${closed}${inserted}${newline(text)}`);
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

const newline = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

function indentOf(text: string, map: Map): number {
  const start = startOf(map.items[0]?.key);
  return start - lineStart(text, start);
}

function indentOfList(list: YAMLSeq): number {
  const token = list.srcToken;
  return token !== undefined && 'indent' in token ? token.indent : 0;
}
