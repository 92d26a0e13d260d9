/**
 * Text of a cluster or a person as one line of markdown: it cannot mention anybody, link an issue, open a tag or break a table.
 * @see https://github.github.com/gfm/#backslash-escapes
 */
export function prose(text: string): string {
  return text
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .replace(/[\\`*_[\]|~]/g, (character) => `\\${character}`)
    .replace(/</g, '&lt;')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/#(?=\d)/g, '#\u200b');
}

/** Inline code, fenced by more backticks than it contains. Not for a table's cell where the text may hold a bar: GFM reads cells first. */
export function code(text: string): string {
  const flat = text.replace(/\s*[\r\n]+\s*/g, ' ');
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

/** Cells are markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Joins sections; where they would be longer than `limit` characters the longest loses whole lines from its end, and says how many.
 * @param limit GitHub refuses bodies above 65,536 characters
 */
export function fit(sections: readonly Section[], limit: number): string {
  const cut = sections.filter(({ lines }) => lines.length > 0).map((section) => ({ ...section, kept: section.lines.length }));
  const write = (s: (typeof cut)[number]) => {
    const left = s.lines.length - s.kept;
    const more = left === 0 ? [] : ['', `_${left} more ${left === 1 ? 'line' : 'lines'} left out here: \`serin plan\` shows all._`];
    return [...(s.title === '' ? [] : [`### ${s.title}`, '']), ...s.lines.slice(0, s.kept), ...more].join('\n');
  };
  for (let body = cut.map(write); ; body = cut.map(write)) {
    const text = `${body.join('\n\n')}\n`;
    const longest = cut.reduce((a, b) => (write(b).length > write(a).length ? b : a), cut[0] as (typeof cut)[number]);
    if (text.length <= limit || longest.kept === 0) return text.slice(0, limit);
    longest.kept = keepWithin(longest.lines, longest.kept, text.length - limit);
  }
}

/** How many lines stay when at least `excess` characters and the remark about it have to go. */
function keepWithin(lines: readonly string[], kept: number, excess: number): number {
  let gone = 0;
  let left = kept;
  while (left > 0 && gone < excess + 80) {
    left -= 1;
    gone += (lines[left] ?? '').length + 1;
  }
  return left;
}
