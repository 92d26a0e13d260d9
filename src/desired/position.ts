import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, type Pair, parseAllDocuments } from 'yaml';

/** Where something is in a document: fields and indexes from its root. */
export type Path = readonly (string | number)[];

/** Line and column count from 1. `written` is the text of a scalar as the file has it; undefined for maps and lists. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly written?: string;
}

/** Finds places in one text, which is parsed once. */
export type Locator = (documentIndex: number, path: Path, aim?: 'key' | 'value') => Position;

/**
 * Where a path is in the text. A missing field has the place of its nearest parent that exists.
 * @param documentIndex counts the documents that parseDocuments returns: empty ones do not count
 * @param aim 'key' for the name of a field, 'value' for what it holds
 */
export function positionOf(text: string, documentIndex: number, path: Path, aim: 'key' | 'value' = 'value'): Position {
  return locator(text)(documentIndex, path, aim);
}

/** As {@link positionOf}, for many places of one text. */
export function locator(text: string): Locator {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, version: '1.1', logLevel: 'silent' });
  const documents = (Array.isArray(parsed) ? parsed : []).filter((document) => !isEmpty(document));
  return (documentIndex, path, aim = 'value') => {
    const document = documents[documentIndex];
    const { node, whole } = document === undefined ? { node: undefined, whole: false } : find(document, path, aim);
    const range = node?.range;
    if (!range) return { line: 1, column: 1 };
    const { line, col } = lines.linePos(range[0]);
    const written = whole && (isScalar(node) || isAlias(node)) ? text.slice(range[0], range[1]) : undefined;
    return { line: Math.max(1, line), column: Math.max(1, col), ...(written === undefined ? {} : { written }) };
  };
}

function isEmpty(document: Document.Parsed): boolean {
  return document.contents === null || (isScalar(document.contents) && document.contents.value === null);
}

/** The node to point at; `whole` when the path was followed to its end. */
function find(document: Document.Parsed, path: Path, aim: 'key' | 'value'): { node: Node | undefined; whole: boolean } {
  let node: Node | undefined = document.contents ?? undefined;
  let name: Node | undefined = node;
  for (const [depth, step] of path.entries()) {
    const inside = isAlias(node) ? node.resolve(document) : node;
    const item: unknown = isMap(inside)
      ? inside.items.find((pair) => keyOf(pair) === String(step))
      : isSeq(inside)
        ? inside.items[Number(step)]
        : undefined;
    if (item === undefined) return { node: name, whole: false };
    if (isPair(item)) {
      name = item.key as Node;
      node = (item.value as Node | null) ?? undefined;
    } else {
      node = item as Node;
      name = node;
    }
    if (depth === path.length - 1) return { node: aim === 'key' ? name : (node ?? name), whole: true };
  }
  return { node, whole: true };
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}
