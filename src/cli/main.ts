#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, SerinError } from '../errors.ts';
import type { ReleasePlan } from '../plan/types.ts';
import { errorText } from '../report/error.ts';
import { eventLine } from '../report/event-line.ts';
import type { TickEvent } from '../report/events.ts';
import { planText } from '../report/plan.ts';
import { planJson } from '../report/plan-json.ts';
import { statusJson, statusText } from '../report/status.ts';
import { stepSummary } from '../report/summary.ts';
import { describeDirectory } from '../source/directory.ts';
import { runTick } from '../tick/run.ts';
import type { Seconds } from '../units.ts';
import { type Arguments, HELP, readArguments } from './arguments.ts';
import { keep, recall } from './memory.ts';
import { watch } from './watch.ts';
import { type Wiring, wire } from './wire.ts';

const style = { colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined };
const print = (text: string): void => void process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${errorText(error, { colour: process.stderr.isTTY === true })}\n`);
  return error instanceof InputError || (error instanceof SerinError && error.code === 'E_USAGE') ? 2 : 3;
});

async function main(argv: readonly string[]): Promise<number> {
  const args = readArguments(argv, process.env);
  if (args === 'help') {
    print(HELP);
    return 0;
  }
  const stop = new AbortController();
  const wiring = await wire(args, process.env);
  try {
    if (args.command === 'watch') return await watching(args, wiring, stop);
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () =>
        stop.abort(
          new SerinError('E_STOPPED', `stopped by ${signal}`, { hint: 'the next tick carries on from what is there', retry: 'next run' }),
        ),
      );
    return args.command === 'tick' ? await tick(args, wiring, stop.signal) : await show(args, wiring, stop.signal);
  } finally {
    await wiring.close();
  }
}

async function tick(args: Arguments, wiring: Wiring, signal: AbortSignal): Promise<number> {
  const memory = await recall(args.cache);
  const done = await runTick({ ...optionsOf(args, wiring, signal), budget: args.budget, ...(memory === undefined ? {} : { memory }) });
  await keep(args.cache, done.memory);
  await summarise(done.plans);
  const requests = await wiring.requests();
  if (args.output === 'json')
    print(
      JSON.stringify({
        time: new Date().toISOString(),
        event: 'tick',
        idle: done.idle,
        writes: done.writes,
        looks: done.looks,
        failures: done.failures,
        requests,
      }),
    );
  else
    print(done.idle ? 'idle: Git has not moved, and nothing is open' : `${done.writes} writes in ${done.looks} looks; ${ends(done.plans)}`);
  return done.failures > 0 ? 3 : 0;
}

function ends(plans: readonly ReleasePlan[]): string {
  return (
    plans.flatMap((plan) => Object.values(plan.decisions).map((decision) => `${plan.release}: ${decision.because}`)).join('; ') ||
    'no releases'
  );
}

async function show(args: Arguments, wiring: Wiring, signal: AbortSignal): Promise<number> {
  const report = (event: TickEvent): void =>
    void (event.event === 'failed' && process.stderr.write(`${eventLine(event, { colour: false })}\n`));
  const { plans, failures } = await runTick({ ...optionsOf(args, wiring, signal), report, budget: 0 as Seconds, planOnly: true });
  if (args.command === 'status') print(args.output === 'json' ? JSON.stringify(statusJson(plans), undefined, 2) : statusText(plans, style));
  else
    print(
      args.output === 'json' ? JSON.stringify(plans.map(planJson), undefined, 2) : plans.map((plan) => planText(plan, style)).join('\n'),
    );
  if (args.repo !== undefined && existsSync(join(args.repo, '.git')) && (await describeDirectory(args.repo, signal)).dirty) {
    process.stderr.write('note: the work tree has changes that no commit has; they are part of what is shown\n');
  }
  if (failures > 0) return 3;
  return args.command === 'plan' && plans.some((plan) => plan.steps.length > 0) ? 1 : 0;
}

async function watching(args: Arguments, wiring: Wiring, stop: AbortController): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const never = new AbortController().signal;
  const loop = { ...optionsOf(args, wiring, never), budget: Math.min(args.budget, Math.max(1, args.every - 1)) as Seconds };
  let memory = await recall(args.cache);
  const once = async (): Promise<void> => {
    try {
      const done = await runTick({ ...loop, ...(memory === undefined ? {} : { memory }) });
      memory = done.memory;
      await keep(args.cache, memory);
    } catch (error) {
      process.stderr.write(`${errorText(error, { colour: process.stderr.isTTY === true })}\n`);
    }
  };
  await watch(args.every, once, stop.signal);
  return 0;
}

function optionsOf(args: Arguments, wiring: Wiring, signal: AbortSignal) {
  const report = (event: TickEvent): void => print(args.output === 'json' ? JSON.stringify(event) : eventLine(event, style));
  return {
    ...wiring,
    report,
    signal,
    ...(args.release === undefined ? {} : { only: ({ name }: { name: string }) => name === args.release }),
  };
}

/** What GitHub shows on the page of an Actions run. */
async function summarise(plans: readonly ReleasePlan[]): Promise<void> {
  const file = process.env['GITHUB_STEP_SUMMARY'];
  if (file !== undefined && file !== '' && plans.length > 0) await appendFile(file, stepSummary(plans));
}
