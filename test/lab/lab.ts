import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { SerinError } from '../../src/errors.ts';
import { cacheFolder } from './cache.ts';
import { type Namespaces, namespaces } from './namespaces.ts';
import { CONTROL_PLANE, ensureParts, type PartEvent, type PartName, partPath } from './parts.ts';

/** What the inner process is told: the folder that is its own, where the parts are, and the PATH for what runs inside. */
export interface Order {
  readonly run: string;
  readonly parts: Readonly<Record<string, string>>;
  readonly path: string;
  /** A file that goes when the lab does. */
  readonly forget: string | undefined;
}

export type LabEvent =
  /** All but Prometheus answers. `pid` is the inner process as the outside numbers it, `env` what a command inside needs. */
  | { readonly event: 'up'; readonly pid: number; readonly seconds: number; readonly env: Readonly<Record<string, string>> }
  | { readonly event: 'prometheus-up'; readonly seconds: number }
  | { readonly event: 'part-ended'; readonly message: string }
  | { readonly event: 'failed'; readonly message: string };

export interface LabOptions {
  readonly onPart?: (event: PartEvent) => void;
  readonly onEvent?: (event: LabEvent) => void;
  /** Whether the command waits for Prometheus. Without it the command starts as soon as the cluster is up, and Prometheus comes, built first if need be, meanwhile. */
  readonly prometheus?: 'awaited' | 'meanwhile';
  /** A file that is removed when the lab ends, however it ends. */
  readonly forget?: string;
  /** Added to the environment of the command. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running lab: a cluster, a gateway and a Prometheus of its own that nothing outside can reach, nor they the outside. */
export interface Lab {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when Prometheus answers. @throws SerinError when it cannot be built */
  readonly prometheus: Promise<void>;
  /** Resolves when the lab has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Builds what is missing and starts a lab.
 * @throws SerinError E_LAB_GO, E_LAB_DISK, E_LAB_BUILD, E_LAB_NAMESPACES, E_LAB_START
 */
export async function startLab({ onPart = () => undefined, onEvent = () => undefined, forget }: LabOptions = {}): Promise<Lab> {
  const how = namespaces();
  await ensureParts(CONTROL_PLANE, onPart);
  const names: readonly PartName[] = [...CONTROL_PLANE, 'prometheus'];
  const run = join(cacheFolder(), 'run');
  mkdirSync(run, { recursive: true });
  const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin');
  const order: Order = {
    run,
    parts: Object.fromEntries(names.map((name) => [name, partPath(name)])),
    path: [bin, process.env['PATH'] ?? ''].join(delimiter),
    forget,
  };
  const [program, ...args] = [...how.make, process.execPath, join(import.meta.dirname, 'inside.ts'), JSON.stringify(order)];
  // A process group of its own: an interrupt from the terminal is for the command inside, which may still want the cluster.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const lab = await comesUp(child, onEvent);
  // Only now, so that a build does not slow the start.
  const built = ensureParts(['prometheus'], onPart);
  const prometheus = Promise.all([built, lab.prometheus]).then(() => undefined);
  prometheus.catch(() => undefined);
  return { ...lab, prometheus };
}

/**
 * Runs a command in a lab of its own, started before and stopped after it.
 * @returns the command's exit code, 128 and the signal's number where a signal ended it
 * @throws SerinError as {@link startLab}
 */
export async function inLab(command: readonly string[], options: LabOptions = {}): Promise<number> {
  const lab = await startLab(options);
  try {
    if (options.prometheus !== 'meanwhile') await lab.prometheus;
    return await runInside(lab.pid, { ...lab.env, ...options.env }, command);
  } finally {
    await lab.stop();
  }
}

/** Runs a command inside a running lab, in this working folder, with this process's terminal. Signals to this process reach the command. */
export function runInside(
  pid: number,
  env: Readonly<Record<string, string>>,
  command: readonly string[],
  how: Namespaces = namespaces(),
): Promise<number> {
  // nsenter must outlive an interrupt from the terminal, or nobody would wait for the command's last words; the command itself hears it as usual.
  const outlive = ['sh', '-c', 'trap "" INT; exec "$@"', 'sh', ...how.enter(pid), 'env', '--default-signal=INT'];
  // Entering a mount namespace leaves the working folder behind.
  return runHere([...outlive, 'sh', '-c', 'cd "$0" && exec "$@"', process.cwd(), ...command], env, passOn);
}

/** Runs a command with this process's terminal. */
export async function runHere(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
  passTo: (child: ChildProcess, signal: NodeJS.Signals) => void = (child, signal) => void child.kill(signal),
): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const pass = (signal: NodeJS.Signals) => passTo(child, signal);
  // The terminal sends an interrupt to the command as well, which decides what to make of it; we only outlive it.
  const outlive = () => undefined;
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', outlive);
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  }).finally(() => process.off('SIGTERM', pass).off('SIGHUP', pass).off('SIGINT', outlive));
}

/** nsenter itself passes no signal on, so its child gets it. */
function passOn(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    for (const pid of children) process.kill(Number(pid), signal);
  } catch {
    child.kill(signal);
  }
}

function comesUp(child: ChildProcess, onEvent: (event: LabEvent) => void): Promise<Lab> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = () => {
    child.stdin?.end();
    // The inner process leaves at the end of its input; if it hangs, unshare takes it down.
    const patience = setTimeout(() => child.kill('SIGKILL'), 3000);
    return ended.finally(() => clearTimeout(patience));
  };
  child.stdin?.on('error', () => undefined);
  const arrived = Promise.withResolvers<void>();
  arrived.promise.catch(() => undefined);
  let up = false;
  return new Promise<Lab>((resolve, reject) => {
    const fail = (message: string) => {
      const error = startError(message);
      arrived.reject(error);
      reject(error);
      if (!up) void stop();
    };
    child.once('error', (cause) => fail(cause.message));
    child.once('close', () => fail('it ended before it was up'));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const event = JSON.parse(line) as LabEvent;
      onEvent(event);
      if (event.event === 'up') up = true;
      if (event.event === 'up') resolve({ pid: event.pid, env: event.env, prometheus: arrived.promise, ended, stop });
      if (event.event === 'prometheus-up') arrived.resolve();
      if (event.event === 'failed' || event.event === 'part-ended') fail(event.message);
    });
  });
}

function startError(message: string): SerinError {
  return new SerinError('E_LAB_START', `the lab did not start: ${message}`, {
    hint: 'the last lines of each part above say why; npm run lab -- build tells which programs they are',
    retry: 'never',
  });
}
