import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Memory } from '../plan/again.ts';

/** The last commit seen, in the cache folder. Whatever is wrong with it, a full look mends it. */
export async function recall(folder: string | undefined): Promise<Memory | undefined> {
  if (folder === undefined) return undefined;
  try {
    return JSON.parse(await readFile(file(folder), 'utf8')) as Memory;
  } catch {
    return undefined;
  }
}

export async function keep(folder: string | undefined, memory: Memory): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(`${file(folder)}.${process.pid}`, JSON.stringify(memory));
  await rename(`${file(folder)}.${process.pid}`, file(folder));
}

function file(folder: string): string {
  return join(folder, 'last-look.json');
}
