/**
 * One tick as a scheduled function: a handler as AWS Lambda calls it, and a plain program (`node dist/schedule.mjs`) for everything else that can start one.
 * Settings come from the environment: SERIN_REPO (a directory or a Git repository) or GITHUB_REPOSITORY and GITHUB_TOKEN; SERIN_BASE, SERIN_BUDGET, SERIN_CACHE.
 */
import { argv, env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Arguments, readArguments } from '../../src/cli/arguments.ts';
import { wire } from '../../src/cli/wire.ts';
import { errorText } from '../../src/report/error.ts';
import type { TickReport } from '../../src/tick/options.ts';
import { runTick } from '../../src/tick/run.ts';
import { seconds } from '../../src/units.ts';

/** What is kept of the last look while the process stays warm. A cold one looks in full. */
let memory: TickReport['memory'] | undefined;
/** Milliseconds before the platform's own deadline at which the tick is told to stop: enough to finish the write it is at. */
const MARGIN = 5_000;

/** @throws SerinError so that the platform counts the invocation as failed; the next one is the retry */
export async function handler(
  _event: unknown,
  context?: { getRemainingTimeInMillis(): number },
): Promise<Omit<TickReport, 'plans' | 'memory'>> {
  const options = Object.entries({ '--repo': env['SERIN_REPO'], '--base': env['SERIN_BASE'], '--budget': env['SERIN_BUDGET'] });
  const args = readArguments(['tick', ...options.flatMap(([name, value]) => (value ? [name, value] : []))], env) as Arguments;
  const left = Math.max(1, (context?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY) - MARGIN);
  const signal = left < 2 ** 31 ? AbortSignal.timeout(left) : new AbortController().signal;
  const budget = seconds(Math.min(args.budget, Math.floor(left / 1000)));
  const wiring = await wire(args, env);
  const report = (event: object) => console.log(JSON.stringify(event));
  try {
    const { plans: _, ...done } = await runTick({ ...wiring, report, budget, signal, ...(memory && { memory }) });
    memory = done.memory;
    return { idle: done.idle, writes: done.writes, looks: done.looks, failures: done.failures };
  } finally {
    await wiring.close();
  }
}

async function asProgram(): Promise<number> {
  try {
    const { failures, ...done } = await handler({});
    console.log(JSON.stringify({ event: 'tick', failures, ...done }));
    return failures > 0 ? 3 : 0;
  } catch (error) {
    console.error(errorText(error, { colour: false }));
    return 3;
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await asProgram();
