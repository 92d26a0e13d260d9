import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Starts one part of the lab. */
export type Start = (name: string, args: readonly string[]) => void;

/**
 * Starts parts whose output goes to logs/NAME.log below the folder. A part of the lab runs until the lab ends: one that ends earlier is told of.
 * @param died gets what happened and the last lines that the part wrote
 */
export function starter(run: string, paths: Readonly<Record<string, string>>, died: (message: string) => void): Start {
  const logs = join(run, 'logs');
  mkdirSync(logs, { recursive: true });
  return (name, args) => {
    const log = join(logs, `${name}.log`);
    const file = openSync(log, 'a');
    const child = spawn(paths[name] ?? name, args, { stdio: ['ignore', file, file], cwd: run });
    closeSync(file);
    child.once('error', (error) => died(`${name} could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      died(`${name} ended (${signal ?? `exit code ${code}`}): ${readFileSync(log, 'utf8').slice(-1500)}`),
    );
  };
}

/** The end of each part's log: they go with the lab, so whoever could not start it is told now. */
export function lastWords(run: string): readonly string[] {
  const logs = join(run, 'logs');
  if (!existsSync(logs)) return [];
  return readdirSync(logs).map((log) => `${log}: ${readFileSync(join(logs, log), 'utf8').slice(-500).trim()}`);
}
