import { schedule } from 'node-cron';
import type { Seconds } from '../units.ts';

/**
 * Runs a tick on a schedule, one at a time; a time at which the last one still runs is left out. When the signal comes no new tick starts, and
 * the running one is waited for.
 */
export async function watch(every: Seconds, tick: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let running: Promise<void> | undefined;
  const start = (): void => {
    running ??= tick().finally(() => {
      running = undefined;
    });
  };
  start();
  const task = schedule(expression(every), start, { noOverlap: true });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await task.destroy();
  await running;
}

/** A cron expression with seconds. Lengths that no cron expression can say are rounded down to one that it can. */
export function expression(every: Seconds): string {
  if (every < 60) return `*/${Math.max(1, every)} * * * * *`;
  const minutes = Math.floor(every / 60);
  return minutes < 60 ? `0 */${minutes} * * * *` : `0 0 */${Math.min(23, Math.floor(minutes / 60))} * * *`;
}
