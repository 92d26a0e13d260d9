/**
 * node test/run.ts check|unit|lab|all: runs the steps of a part one after the other and ends with one plain line, "N passed, N failed".
 * Nothing is skipped: a part that cannot be had has failed.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Part, STEPS, type Step } from './run/steps.ts';
import { type Count, countTests, lastLine, sum } from './run/summary.ts';

const root = dirname(import.meta.dirname);
const bin = join(root, 'node_modules', '.bin');
const environment = {
  ...process.env,
  PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
};

interface Result {
  readonly step: Step;
  readonly count: Count;
  readonly seconds: number;
}

/** Runs one command in the repository's root; what it writes is shown as it comes. */
function execute(command: readonly string[], keep: (text: string) => void): Promise<number> {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  // Both go where this process's own lines go, so that they stay in order when the output is kept in a file.
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      keep(text);
      process.stdout.write(text);
    });
  }
  // The child hears an interrupt from the terminal as well, and cleans up; a termination is passed on.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGTERM', pass);
  return new Promise<number>((resolve) => {
    child.on('error', (error) => {
      console.error(`${program} could not be started: ${error.message}. Run npm ci first.`);
      resolve(127);
    });
    child.on('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  }).finally(() => process.off('SIGTERM', pass));
}

async function run(step: Step): Promise<Result> {
  console.log(`\n--- ${step.name}: ${step.command.join(' ')}`);
  const began = performance.now();
  let output = '';
  const code = await execute(step.command, (text) => {
    output += text;
  });
  const seconds = (performance.now() - began) / 1000;
  const ok = code === 0;
  const count = step.counts === 'tests' ? countTests(stripVTControlCharacters(output), code) : { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
  console.log(`--- ${step.name}: ${lastLine(count)}, ${seconds.toFixed(1)} s`);
  return { step, count, seconds };
}

async function main(word: string | undefined): Promise<number> {
  const parts: readonly Part[] | undefined =
    word === 'all' ? ['check', 'unit', 'lab'] : word === 'check' || word === 'unit' || word === 'lab' ? [word] : undefined;
  if (parts === undefined) {
    console.error('usage: node test/run.ts check|unit|lab|all');
    return 2;
  }
  // An interrupt ends the running child; this process stays to say what had passed until then.
  let interrupted = false;
  process.on('SIGINT', () => {
    interrupted = true;
  });
  const results: Result[] = [];
  for (const step of parts.flatMap((part) => STEPS[part])) if (!interrupted) results.push(await run(step));
  return report(results, interrupted);
}

function report(results: readonly Result[], interrupted: boolean): number {
  console.log('');
  for (const { step, count, seconds } of results) {
    console.log(
      `${count.failed === 0 ? 'ok    ' : 'FAILED'} ${step.name.padEnd(42)} ${seconds.toFixed(1).padStart(7)} s   ${lastLine(count)}`,
    );
    if (count.failed > 0) console.log(`       ${step.remedy}`);
  }
  const total = sum(results.map((result) => result.count));
  if (interrupted) console.log('interrupted: the rest did not run');
  console.log(lastLine(total));
  return total.failed > 0 || interrupted ? 1 : 0;
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// Node.js 22.18 can read this file and is still too old for the rest: npm ci has brought a newer one.
if (major < 22 || (major === 22 && minor < 20))
  process.exitCode = await execute([join(bin, 'node'), ...process.argv.slice(1)], () => undefined);
else process.exitCode = await main(process.argv[2]);
