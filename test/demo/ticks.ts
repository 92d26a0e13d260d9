import { setTimeout as sleep } from 'node:timers/promises';
import type { Wiring } from '../../src/cli/wire.ts';
import { SerinError } from '../../src/errors.ts';
import { isQuiet } from '../../src/plan/again.ts';
import type { TickEvent } from '../../src/report/events.ts';
import { runTick } from '../../src/tick/run.ts';
import type { Seconds } from '../../src/units.ts';
import { now } from './events.ts';

/** A tick looks again within this time, as one on a schedule would within its minute; then the next one comes. */
const BUDGET = 3 as Seconds;
const BETWEEN_MS = 300;

/** Ticks until the signal, by what `serin tick` runs. `quiet` is called after each tick with whether nothing is left to do. */
export async function tickOn(
  wiring: Wiring,
  report: (event: TickEvent) => void,
  quiet: (is: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  const { source, forge, cluster, metrics } = wiring;
  let memory: Awaited<ReturnType<typeof runTick>>['memory'] | undefined;
  while (!signal.aborted) {
    try {
      const done = await runTick({
        source,
        forge,
        cluster,
        metrics,
        report,
        budget: BUDGET,
        signal,
        ...(memory === undefined ? {} : { memory }),
      });
      memory = done.memory;
      quiet(done.idle || (done.failures === 0 && isQuiet(done.plans)));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SerinError) || error.retry === 'never') throw error;
      report({ time: now(), event: 'failed', code: error.code, message: error.message, hint: error.hint });
    }
    await sleep(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
  }
}
