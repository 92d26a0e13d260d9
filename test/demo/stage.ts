import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Wiring, wire } from '../../src/cli/wire.ts';
import { connect } from '../../src/cluster/connect.ts';
import { parseManifests } from '../../src/desired/manifests.ts';
import type { Cluster } from '../../src/ports.ts';
import type { TickEvent } from '../../src/report/events.ts';
import { type GitHubEmulator, startGitHub } from '../github/emulator.ts';
import { person } from '../github/person.ts';
import { type Counts, load, startLoad } from '../lab/load.ts';
import { now, type Tell } from './events.ts';
import { Happenings } from './happenings.ts';
import type { InsideOrder } from './order.ts';
import { answering } from './prometheus.ts';
import { review } from './reviewer.ts';
import { type Peaks, sample } from './sampler.ts';
import { HOSTNAME, REPOSITORY, shopFiles } from './shop.ts';
import { story } from './story.ts';
import { tickOn } from './ticks.ts';

/** What is there before the first tick. */
interface Props {
  readonly cluster: Cluster;
  readonly github: GitHubEmulator;
  readonly wiring: Wiring;
}

/** Sets the stage, lets everybody on it, tells the story, and clears up. @returns whether it happened as told */
export async function perform(order: InsideOrder, show: Tell, stop: AbortController): Promise<boolean> {
  const happenings = new Happenings();
  const tell: Tell = (event) => {
    show(event);
    happenings.add(event);
  };
  const props = await setUp(order, stop.signal);
  try {
    return await play(order, props, happenings, tell, stop);
  } finally {
    await props.wiring.close();
    await props.cluster.close();
    await props.github.close();
  }
}

async function setUp({ options }: InsideOrder, signal: AbortSignal): Promise<Props> {
  const cluster = await connect('here', {});
  await furnish(cluster, signal);
  const github = await startGitHub({
    folder: await mkdtemp(join(tmpdir(), 'github-')),
    repository: REPOSITORY,
    files: shopFiles(options, process.env['SERIN_LAB_PROMETHEUS'] ?? ''),
    token: 'serin',
    requiredContexts: ['serin/gates'],
  });
  const wiring = await wire(
    { repo: undefined, github: REPOSITORY, base: 'main', cache: undefined },
    { GITHUB_TOKEN: 'serin', GITHUB_API_URL: github.url },
  );
  return { cluster, github, wiring };
}

/** The gateway and the namespace that a cluster has before serin comes. */
async function furnish(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const file = join(import.meta.dirname, 'cluster', 'gateway.yaml');
  const objects = parseManifests(new Map([['gateway.yaml', await readFile(file, 'utf8')]]), '', { namespace: 'default' });
  for (const object of objects) await cluster.create(object, 'for real', signal);
}

async function play(
  { options, started }: InsideOrder,
  { cluster, github, wiring }: Props,
  happenings: Happenings,
  tell: Tell,
  stop: AbortController,
): Promise<boolean> {
  const ends = new AbortController();
  const signal = AbortSignal.any([stop.signal, ends.signal]);
  // Whatever goes wrong beside the story ends it.
  const beside = <T>(work: Promise<T>) => work.catch((error: unknown) => void (signal.aborted || stop.abort(error)));
  let counts: Counts | undefined;
  let quiet = false;
  const report = (event: TickEvent) => (event.event === 'pull-request-merged' ? undefined : tell(event));
  const peaks = beside(sample(cluster, () => counts, tell, signal));
  const others = [beside(tickOn(wiring, report, (is) => void (quiet = is), signal)), beside(review(github.url, tell, signal))];
  try {
    const told = await story({
      happenings,
      tell,
      mia: person({ url: github.url, repository: REPOSITORY }),
      startLoad: async () => {
        await untilShopAnswers(signal);
        counts = startLoad({ url: gateway(), host: HOSTNAME, perSecond: options.rate, signal }).counts;
        tell({ time: now(), event: 'load-started', perSecond: options.rate });
      },
      counts: () => counts ?? { sent: 0, failed: 0 },
      prometheus: () => answering(process.env['SERIN_LAB_PROMETHEUS'] ?? '', tell, signal),
      quiet: () => quiet,
      weights: options.steps,
      errorRate: options.errorRate,
      signal,
    });
    ends.abort();
    const { podsAtPeak, podsAtPeakWithEnding } = ((await peaks) as Peaks | undefined) ?? { podsAtPeak: 0, podsAtPeakWithEnding: 0 };
    const missing = [...told.missing, ...github.violations().map((what) => `a request that GitHub would take: ${what}`)];
    const ok = missing.length === 0;
    const seconds = Math.round((Date.now() - started) / 1000);
    tell({ time: now(), event: 'summary', ok, ...told, missing, podsAtPeak, podsAtPeakWithEnding, seconds });
    return ok;
  } finally {
    ends.abort();
    await Promise.all([peaks, ...others]);
  }
}

const gateway = (): string => `${process.env['SERIN_LAB_GATEWAY']}/`;

/** Until the gateway has taken the route and sends requests on. */
async function untilShopAnswers(signal: AbortSignal): Promise<void> {
  while ((await load({ url: gateway(), host: HOSTNAME, perSecond: 10, seconds: 0.1 })).failed > 0) {
    await sleep(200, undefined, { signal });
  }
}
