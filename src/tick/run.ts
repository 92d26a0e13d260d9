import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, Sha } from '../desired/types.ts';
import { InputError, SerinError } from '../errors.ts';
import { isIdle, isQuiet, type Memory, pause, raisesExposure } from '../plan/again.ts';
import { planRelease } from '../plan/release.ts';
import type { ReleasePlan } from '../plan/types.ts';
import { type Instant, seconds } from '../units.ts';
import { act, confirmed, type Ports } from './act.ts';
import { type Desired, lookAtGit, lookAtRelease } from './look.ts';
import type { TickOptions, TickReport } from './options.ts';

const clock = (): Instant => Math.floor(Date.now() / 1000) as Instant;
const time = (): string => new Date().toISOString();

/** Looks in a row that may end in a conflict before it is a failure: as often as kubectl apply tries. */
const TRIES = 5;

/**
 * One tick: look, decide, act, report, again and again within its budget, each look at a fresh commit, until a plan says that nothing can
 * have come before the budget ends.
 * @throws InputError before any cluster has been asked anything
 */
export async function runTick(options: TickOptions): Promise<TickReport> {
  const started = Date.now();
  const raised = new Set<string>();
  const told = new Map<string, string>();
  let totals = { writes: 0, failures: 0, looks: 0 };
  let conflicts = 0;
  for (let known = options.memory?.commit; ; ) {
    const commit = await options.source.head(known, options.signal);
    if (totals.looks === 0 && options.memory && isIdle(options.memory, commit, clock())) {
      return { plans: [], ...totals, idle: true, memory: options.memory };
    }
    known = commit;
    const look = await once(options, commit, raised, told);
    totals = { writes: totals.writes + look.writes, failures: totals.failures + look.failures, looks: totals.looks + 1 };
    conflicts = look.conflicts > 0 ? conflicts + 1 : 0;
    if (conflicts === TRIES)
      return {
        plans: look.plans,
        ...totals,
        failures: totals.failures + look.conflicts,
        idle: false,
        memory: memoryOf(commit, look, look.fleet),
      };
    const left = seconds(Math.max(0, options.budget - (Date.now() - started) / 1000));
    const wait = options.planOnly || options.budget === 0 ? undefined : look.conflicts > 0 ? 1 : pause(look.plans, left);
    if (wait === undefined || left === 0) return { plans: look.plans, ...totals, idle: false, memory: memoryOf(commit, look, look.fleet) };
    await sleep(wait * 1000, undefined, { signal: options.signal });
  }
}

function memoryOf(commit: Sha, look: Look, fleet: Fleet): Memory {
  return {
    commit,
    quiet: look.failures + look.conflicts === 0 && isQuiet(look.plans),
    lookAt: (clock() + fleet.defaults.driftEvery) as Instant,
  };
}

interface Look {
  readonly fleet: Fleet;
  readonly plans: readonly ReleasePlan[];
  readonly writes: number;
  readonly failures: number;
  /** Releases of which an object changed between look and write: they are looked at again. */
  readonly conflicts: number;
}

/** One look at every release. What goes wrong with one release is told, and the others go on. */
async function once(options: TickOptions, commit: Sha, raised: Set<string>, told: Map<string, string>): Promise<Look> {
  const desired = await lookAtGit(options, commit);
  if (told.get('') !== commit) options.report({ event: 'looked', time: time(), commit, releases: desired.releases.length });
  told.set('', commit);
  const plans: ReleasePlan[] = [];
  let writes = 0;
  let failures = 0;
  let conflicts = 0;
  for (const reading of desired.releases.filter(({ release }) => options.only?.(release) ?? true)) {
    try {
      const done = await release(options, desired, reading, raised, told);
      plans.push(done.plan);
      writes += done.writes;
    } catch (error) {
      if (error instanceof InputError || options.signal.aborted || !(error instanceof SerinError)) throw error;
      if (error.code === 'E_CONFLICT') conflicts += 1;
      else failures += 1;
      options.report({
        event: 'failed',
        time: time(),
        release: reading.release.name,
        code: error.code,
        message: error.message,
        hint: error.hint,
      });
    }
  }
  return { fleet: desired.fleet, plans, writes, failures, conflicts };
}

async function release(
  options: TickOptions,
  desired: Desired,
  reading: Desired['releases'][number],
  raised: Set<string>,
  told: Map<string, string>,
) {
  const name = reading.release.name;
  const ports: Ports = { clusterOf: (cluster) => options.cluster(cluster, desired.fleet), forge: options.forge };
  const look = await lookAtRelease(options, desired, reading, !raised.has(name));
  const plan = await confirmed(planRelease(look, desired.fleet.defaults), look, ports, options.signal);
  if (options.planOnly) return { plan, writes: 0 };
  const sentence = JSON.stringify(plan.decisions);
  const quiet = plan.steps.length === 0 && told.get(name) === sentence;
  told.set(name, sentence);
  if (raisesExposure(plan)) raised.add(name);
  const writes = await act(plan, ports, quiet ? { ...options, report: () => undefined } : options, time);
  return { plan, writes };
}
