import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { wire } from '../../src/cli/wire.ts';
import type { Memory } from '../../src/plan/again.ts';
import type { ReleasePlan } from '../../src/plan/types.ts';
import type { Cluster, Forge } from '../../src/ports.ts';
import type { TickEvent } from '../../src/report/events.ts';
import { readRecord } from '../../src/rollout/record.ts';
import type { ReleaseRecord } from '../../src/rollout/types.ts';
import type { TickOptions, TickReport } from '../../src/tick/options.ts';
import { runTick } from '../../src/tick/run.ts';
import type { Seconds } from '../../src/units.ts';
import { type GitHubEmulator, startGitHub } from '../github/emulator.ts';
import { type Person, person } from '../github/person.ts';
import { type RunningLoad, startLoad } from '../lab/load.ts';

const run = promisify(execFile);
const EXAMPLE = new URL('../../examples/shop/', import.meta.url).pathname;
const REPOSITORY = 'acme/deploy';

/** What a tick meets instead of the plain ports. */
export type Around = (ports: { cluster: Cluster; forge: Forge }) => { cluster: Cluster; forge: Forge };

/** The sample shop in a namespace of its own, on the lab's real parts, behind an emulated GitHub. */
export interface Stage {
  readonly namespace: string;
  readonly mia: Person;
  readonly github: GitHubEmulator;
  readonly events: TickEvent[];
  tick(budget?: number, around?: Around, memory?: Memory): Promise<TickReport>;
  /** Ticks until the last plan satisfies the condition. @throws Error with what was decided last when it never does */
  until(what: string, holds: (plans: readonly ReleasePlan[]) => boolean | Promise<boolean>, around?: Around, ticks?: number): Promise<void>;
  record(): Promise<ReleaseRecord>;
  kubectl(...args: string[]): Promise<string>;
  /** Commits files of the release, by path below releases/shop. */
  commit(message: string, files: Readonly<Record<string, string>>): Promise<string>;
  read(file: string): Promise<string>;
  /** The open request of serin. @throws Error when there is not exactly one */
  open(): Promise<Awaited<ReturnType<Person['pullRequests']>>[number]>;
  load(perSecond: number): RunningLoad & { stop(): Promise<RunningLoad['counts']> };
  requests(): ReturnType<Awaited<ReturnType<typeof wire>>['requests']>;
}

export async function stage(
  t: ExecutionContext,
  namespace: string,
  edit: (file: string, text: string) => string = (_, text) => text,
): Promise<Stage> {
  const prometheus = process.env['SERIN_LAB_PROMETHEUS'];
  if (prometheus === undefined) throw new Error('these tests need the lab: npm run lab -- exec npx ava test/e2e');
  const folder = await mkdtemp(join(tmpdir(), 'stage-'));
  const github = await startGitHub({ folder, repository: REPOSITORY, files: await sample(namespace, edit) });
  const mia = person({ url: github.url, repository: REPOSITORY });
  const kubectl = async (...args: string[]) => (await run('kubectl', args)).stdout;
  await kubectl('create', 'namespace', namespace);
  const environment = { ...process.env, GITHUB_TOKEN: 'serin', GITHUB_API_URL: github.url, SERIN_PROMETHEUS: prometheus };
  const wiring = await wire({ repo: undefined, github: REPOSITORY, base: 'main', cache: undefined }, environment);
  t.teardown(async () => {
    await wiring.close();
    await github.close();
    await kubectl('delete', 'namespace', namespace, '--wait=false');
    await rm(folder, { recursive: true, force: true });
  });
  const events: TickEvent[] = [];
  const tick = (budget = 0, around?: Around, memory?: Memory): Promise<TickReport> =>
    runTick({
      ...around_(wiring, around),
      report: (event) => events.push(event),
      budget: budget as Seconds,
      signal: new AbortController().signal,
      ...(memory === undefined ? {} : { memory }),
    });
  return {
    namespace,
    mia,
    github,
    events,
    tick,
    kubectl: (...args) => kubectl('-n', namespace, ...args),
    requests: () => wiring.requests(),
    async until(what, holds, around, ticks = 150) {
      let last: readonly ReleasePlan[] = [];
      for (let count = 0; count < ticks; count += 1) {
        last = (await tick(0, around).catch(forgive)).plans;
        if (last.length > 0 && (await holds(last))) return;
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      throw new Error(`never came: ${what}; last decided: ${JSON.stringify(last.map((plan) => plan.decisions))}`);
    },
    record: async () => readRecord(JSON.parse(await kubectl('-n', namespace, 'get', 'configmap', 'serin-shop', '-o', 'json'))),
    commit: (message, files) =>
      mia.commit({ message, files: Object.fromEntries(Object.entries(files).map(([file, text]) => [`releases/shop/${file}`, text])) }),
    read: (file) => mia.read(`releases/shop/${file}`),
    async open() {
      const open = (await mia.pullRequests('open')).filter((p) => p.head.ref.startsWith('serin/'));
      if (open.length !== 1 || !open[0]) throw new Error(`not one open request, but: ${open.map((p) => p.head.ref).join(', ') || 'none'}`);
      return open[0];
    },
    load(perSecond) {
      const stop = new AbortController();
      t.teardown(() => stop.abort());
      const running = startLoad({
        url: process.env['SERIN_LAB_GATEWAY'] ?? '',
        host: `${namespace}.example.com`,
        perSecond,
        seconds: 120,
        signal: stop.signal,
      });
      return { ...running, stop: () => (stop.abort(), running.done) };
    },
  };
}

/** Killed on purpose: the next tick carries on. */
export class Killed extends Error {}

function forgive(error: unknown): { plans: readonly ReleasePlan[] } {
  if (error instanceof Killed) return { plans: [] };
  throw error;
}

function around_(
  wiring: Pick<TickOptions, 'source' | 'forge' | 'cluster' | 'metrics'>,
  around: Around | undefined,
): Pick<TickOptions, 'source' | 'forge' | 'cluster' | 'metrics'> {
  const { forge } = wiring;
  if (!around || !forge) return wiring;
  const wrapped = around({ cluster: undefined as never, forge }).forge;
  return {
    ...wiring,
    forge: wrapped,
    cluster: async (name, fleet) => around({ cluster: await wiring.cluster(name, fleet), forge }).cluster,
  };
}

async function sample(namespace: string, edit: (file: string, text: string) => string): Promise<Record<string, string>> {
  const names = (await readdir(EXAMPLE, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = await Promise.all(
    names.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const file = path.slice(EXAMPLE.length);
      const text = (await readFile(path, 'utf8'))
        .replace('namespace: shop', `namespace: ${namespace}`)
        .replace('shop.example.com', `${namespace}.example.com`)
        .replace('{name: public, namespace: gateways}', '{name: lab, namespace: default}')
        .replaceAll('hold: 3s', 'hold: 1s')
        .replace('lag: 2s', 'lag: 1s');
      return [file, edit(file, text)] as const;
    }),
  );
  return Object.fromEntries(texts);
}
