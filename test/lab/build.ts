import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SerinError } from '../../src/errors.ts';
import { cacheFolder, readJson, writeWhole } from './cache.ts';
import { executable, type Part, type PartEvent, sourceFolder } from './parts.ts';

/** A builder touches its lock each second; one not touched for so long belongs to a builder that died. */
const STALE_AFTER_MS = 10_000;
/** The control plane's build cache takes 2.9 GB, its modules 3 GB, and the linker wants room besides. */
const DISK_GB = 8;
const GO = [1, 26] as const;

type Tell = (event: PartEvent) => void;

/**
 * Builds a part into the cache, under a name of its own until it is whole.
 * @throws SerinError E_LAB_GO, E_LAB_DISK, E_LAB_BUILD
 */
export async function build(part: Part, path: string, tell: Tell): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  const began = performance.now();
  while (!executable(path)) {
    if (take(lock)) {
      try {
        if (!executable(path)) await compile(part, path, lock, tell);
      } finally {
        rmSync(lock, { force: true });
      }
      return;
    }
    await sleep(1000);
    tell({ event: 'building', part: part.name, seconds: since(began), likely: likely(part), by: 'another process' });
  }
  tell({ event: 'found', part: part.name, path });
}

/** Seconds that the part took here the last time, else what it usually takes. */
export function likely(part: Part): number {
  const times = readJson(timesFile()) as Record<string, number> | undefined;
  return times?.[part.name] ?? part.likely;
}

function timesFile(): string {
  return join(cacheFolder(), 'times.json');
}

/** Two that find the same stale lock at once may both build: each into its own name, so the later one replaces the same bytes. */
function take(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > STALE_AFTER_MS) rmSync(lock, { force: true });
  } catch {
    // There is none.
  }
  try {
    closeSync(openSync(lock, 'wx'));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

async function compile(part: Part, path: string, lock: string, tell: Tell): Promise<void> {
  needGo(part);
  needDisk(dirname(path));
  const began = performance.now();
  const expected = likely(part);
  const say = () => tell({ event: 'building', part: part.name, seconds: since(began), likely: expected, by: 'us' });
  const beat = setInterval(() => {
    const now = new Date();
    utimesSync(lock, now, now);
    say();
  }, 1000);
  const draft = `${path}.${process.pid}.new`;
  try {
    say();
    await go(part, draft);
    renameSync(draft, path);
  } finally {
    clearInterval(beat);
    rmSync(draft, { force: true });
  }
  const seconds = since(began);
  writeWhole(timesFile(), `${JSON.stringify({ ...(readJson(timesFile()) as object | undefined), [part.name]: seconds }, null, 2)}\n`);
  tell({ event: 'built', part: part.name, path, seconds });
}

async function go(part: Part, draft: string): Promise<void> {
  const cwd = sourceFolder(part);
  const args = ['build', '-mod=readonly', '-buildvcs=false', ...part.flags, '-o', draft, part.package];
  const child = spawn('go', args, { cwd, env: { ...process.env, CGO_ENABLED: '0' }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4000);
  });
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve)).finally(() => process.off('exit', stop));
  if (code === 0) return;
  throw new SerinError('E_LAB_BUILD', `${part.name} could not be built: ${said.trim().split('\n').slice(-8).join('\n')}`, {
    hint: `the lines above are Go's; "cd ${cwd} && CGO_ENABLED=0 go ${args.join(' ')}" shows all of them. It needs to reach a Go module proxy (GOPROXY) once`,
    retry: 'never',
  });
}

function needGo(part: Part): void {
  const said = spawnSync('go', ['env', 'GOVERSION'], { cwd: sourceFolder(part), encoding: 'utf8' });
  const [, major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(said.stdout ?? '') ?? []).map(Number);
  if (major > GO[0] || (major === GO[0] && minor >= GO[1])) return;
  const found = said.error ? 'there is none on PATH' : said.stdout.trim() || said.stderr.trim();
  throw new SerinError('E_LAB_GO', `the lab builds ${part.name} from Go modules and needs Go ${GO.join('.')} or newer: ${found}`, {
    hint: `install Go from https://go.dev/dl, or put ${part.name} in the version that test/lab/parts/${part.module}/go.mod pins on PATH or in KUBEBUILDER_ASSETS`,
    retry: 'never',
  });
}

function needDisk(folder: string): void {
  const goCache = spawnSync('go', ['env', 'GOCACHE', 'GOMODCACHE'], { encoding: 'utf8' }).stdout.trim().split('\n');
  for (const at of [folder, ...goCache]) {
    mkdirSync(at, { recursive: true });
    const { bavail, bsize } = statfsSync(at);
    const free = (bavail * bsize) / 1e9;
    if (free >= DISK_GB) continue;
    throw new SerinError('E_LAB_DISK', `building the lab needs ${DISK_GB} GB free, and ${at} has ${free.toFixed(1)} GB`, {
      hint: 'free some, or point SERIN_LAB_CACHE, GOCACHE and GOMODCACHE at a larger disk; once built, the lab itself takes 0.4 GB',
      retry: 'never',
    });
  }
}

function since(began: number): number {
  return Math.round((performance.now() - began) / 1000);
}
