import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, readJson, writeWhole } from './cache.ts';

/** A lab that somebody keeps running in a terminal, so that other commands may join it. */
export interface Running {
  readonly pid: number;
  /** When the process began, in clock ticks since boot: process numbers come again. */
  readonly born: string;
  readonly env: Readonly<Record<string, string>>;
}

export function runningFile(): string {
  return join(cacheFolder(), 'running.json');
}

export function remember(pid: number, env: Running['env']): void {
  writeWhole(runningFile(), JSON.stringify({ pid, born: born(pid), env }));
}

export function forget(): void {
  rmSync(runningFile(), { force: true });
}

/** The lab that runs now, if any; what a dead one left is cleared away. */
export function running(): Running | undefined {
  const found = readJson(runningFile()) as Running | undefined;
  if (found === undefined) return undefined;
  const since = born(found.pid);
  if (since !== undefined && since === found.born) return found;
  forget();
  return undefined;
}

function born(pid: number): string | undefined {
  try {
    // The second field is the name in brackets, which may hold blanks. After it come the state (Z: ended, not yet collected) and, as the 22nd in all, the beginning.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ');
    return fields?.[0] === 'Z' ? undefined : fields?.[19];
  } catch {
    return undefined;
  }
}
