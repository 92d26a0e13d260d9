import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../github/person.ts';
import type { Counts } from '../lab/load.ts';
import { type DemoEvent, now, type Summary, type Tell } from './events.ts';
import { type Happenings, StoryError } from './happenings.ts';
import { DEPLOYMENT, VERSIONS, withVersion } from './shop.ts';

/** What the story is told with. */
export interface Stage {
  readonly happenings: Happenings;
  readonly tell: Tell;
  readonly mia: Person;
  /** Starts the load once the shop answers. */
  readonly startLoad: () => Promise<void>;
  readonly counts: () => Pick<Counts, 'sent' | 'failed'>;
  /** Resolves when Prometheus answers; it may still be building. */
  readonly prometheus: () => Promise<void>;
  /** Whether the last tick found nothing left to do. */
  readonly quiet: () => boolean;
  readonly weights: readonly number[];
  readonly errorRate: number;
  readonly signal: AbortSignal;
}

export type Told = Pick<Summary, 'requests' | 'goodVersion' | 'badVersion' | 'missing'>;

/** Seconds that one step takes at most, pods, proof, hold, gate and merge included: many times what it should. */
const STEP_AT_MOST = 40;

/** The whole demo: install, a good version that is promoted, a bad one that is rolled back. What did not happen is in `missing`. */
export async function story(stage: Stage): Promise<Told> {
  const missing: string[] = [];
  let good: Totals | undefined;
  try {
    await install(stage);
    await goodVersion(stage);
    good = totals(stage);
    await badVersion(stage);
  } catch (error) {
    if (!(error instanceof StoryError)) throw error;
    missing.push(error.message);
  }
  const requests = totals(stage);
  good ??= requests;
  if (good.failed > 0) missing.push(`the good version was to fail no request, and ${good.failed} failed`);
  const badVersionTotals = { sent: requests.sent - good.sent, failed: requests.failed - good.failed };
  return { requests, goodVersion: good, badVersion: badVersionTotals, missing };
}

type Totals = Summary['requests'];

function totals({ counts }: Stage): Totals {
  const { sent, failed } = counts();
  return { sent, failed };
}

const is = (name: DemoEvent['event']) => (event: DemoEvent) => event.event === name;

async function install({ happenings, startLoad, prometheus, signal }: Stage): Promise<void> {
  await happenings.until('the shop is installed', is('installed'), { seconds: 2 * STEP_AT_MOST, signal });
  await startLoad();
  await happenings.until('what runs is recorded in Git', is('pull-request-merged'), { seconds: STEP_AT_MOST, signal });
  await prometheus();
}

async function goodVersion(stage: Stage): Promise<void> {
  const from = stage.happenings.length;
  await commit(stage, VERSIONS.good, 0);
  await stage.happenings.until(`${VERSIONS.good} is promoted`, is('promoted'), {
    from,
    seconds: STEP_AT_MOST * (stage.weights.length + 2),
    unless: closed,
    signal: stage.signal,
  });
  await quiet(stage, 'nothing is left to do after the promotion');
}

async function badVersion(stage: Stage): Promise<void> {
  const { happenings, signal } = stage;
  const from = happenings.length;
  await commit(stage, VERSIONS.bad, stage.errorRate);
  const seconds = STEP_AT_MOST * (stage.weights.length + 1);
  await happenings.until(`${VERSIONS.bad} is held`, is('held'), { from, seconds, unless: is('promoted'), signal });
  const proposed = await happenings.until('its roll-back is proposed', is('rollback-proposed'), { from, seconds: STEP_AT_MOST, signal });
  const merged = (event: DemoEvent) => event.event === 'pull-request-merged' && 'number' in proposed && event.number === proposed.number;
  await happenings.until('its roll-back is merged', merged, { from, seconds: STEP_AT_MOST, signal });
  const back = (event: DemoEvent) => event.event === 'traffic' && event.weight === 0 && (event.versions[VERSIONS.bad]?.pods ?? 0) === 0;
  await happenings.until('its traffic and its pods are gone', back, { from: happenings.length, seconds: STEP_AT_MOST, signal });
  await quiet(stage, 'nothing is left to do after the roll-back');
}

const closed = ({ event }: DemoEvent): boolean => event === 'held' || event === 'withdrawn';

async function commit({ mia, tell }: Stage, version: string, errorRate: number): Promise<void> {
  const message = errorRate === 0 ? `shop ${version}` : `shop ${version}, which fails ${Math.round(errorRate * 100)} % of its requests`;
  const sha = await mia.commit({ files: { [DEPLOYMENT]: withVersion(await mia.read(DEPLOYMENT), version, errorRate) }, message });
  tell({ time: now(), event: 'committed', version, commit: sha, message });
}

async function quiet({ quiet, signal }: Stage, what: string): Promise<void> {
  // A tick that began before may still say what was true then.
  await sleep(500, undefined, { signal });
  for (const end = Date.now() + STEP_AT_MOST * 1000; !quiet(); ) {
    if (Date.now() > end) throw new StoryError(`${what}, within ${STEP_AT_MOST} s`);
    await sleep(200, undefined, { signal });
  }
}
