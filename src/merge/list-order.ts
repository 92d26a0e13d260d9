/**
 * Puts our items into our order and lets foreign ones keep their place beside them, as $setElementOrder does:
 * a foreign item stays before the first of our items that it stands before on the live object.
 * @param idOf what tells items apart, also those of `live`
 * @see https://git.k8s.io/design-proposals-archive/cli/preserve-order-in-strategic-merge-patch.md
 */
export function interleave<T>(items: readonly T[], order: readonly string[], live: readonly T[], idOf: (item: T) => string): readonly T[] {
  const wanted = places(order);
  const lived = places(live.map(idOf));
  const ours = items.filter((item) => wanted.has(idOf(item))).sort((a, b) => place(wanted, idOf(a)) - place(wanted, idOf(b)));
  const foreign = items.filter((item) => !wanted.has(idOf(item))).sort((a, b) => place(lived, idOf(a)) - place(lived, idOf(b)));
  const merged: T[] = [];
  let next = 0;
  for (const item of ours) {
    const here = lived.get(idOf(item));
    for (
      let other = foreign[next];
      other !== undefined && here !== undefined && place(lived, idOf(other)) < here;
      other = foreign[++next]
    ) {
      merged.push(other);
    }
    merged.push(item);
  }
  return [...merged, ...foreign.slice(next)];
}

function places(ids: readonly string[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [at, id] of ids.entries()) if (!first.has(id)) first.set(id, at);
  return first;
}

function place(known: ReadonlyMap<string, number>, id: string): number {
  return known.get(id) ?? Number.MAX_SAFE_INTEGER;
}
