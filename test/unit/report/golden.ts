import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';

const folder = new URL('../../golden/report/', import.meta.url);

/** Compares a whole text with the file of that name. `UPDATE_GOLDEN=1 npx ava ...` writes the files anew: read the diff before it is committed. */
export function matchesGolden(t: ExecutionContext, name: string, text: string): void {
  const file = new URL(name, folder);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  t.is(text, existsSync(file) ? readFileSync(file, 'utf8') : `no golden file ${name}`);
}
