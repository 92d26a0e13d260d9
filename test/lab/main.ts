/** npm run lab: starts the lab. npm run lab -- exec COMMAND...: runs a command inside. npm run lab -- build: only builds. */
import { SerinError } from '../../src/errors.ts';
import { likely } from './build.ts';
import { inLab, type LabEvent, runHere, runInside, startLab } from './lab.ts';
import { ensureParts, PARTS } from './parts.ts';
import { partProgress } from './progress.ts';
import { forget, remember, running, runningFile } from './running.ts';

const USAGE = 'usage: npm run lab [-- exec COMMAND... | -- build]';
const onPart = partProgress(process.stderr);

async function main([word, ...rest]: readonly string[]): Promise<number> {
  const command = rest[0] === '--' ? rest.slice(1) : rest;
  if (word === undefined) return foreground();
  if (word === 'build' && rest.length === 0) return buildOnly();
  if (word === 'exec' && command.length > 0) return exec(command);
  console.error(USAGE);
  return 2;
}

/** Within a lab the command just runs; else it joins the lab that runs in another terminal, else it has one for as long as it takes. */
async function exec(command: readonly string[]): Promise<number> {
  if (process.env['SERIN_LAB']) return runHere(command);
  const joined = running();
  if (joined !== undefined) return runInside(joined.pid, joined.env, command);
  return inLab(command, { onPart, onEvent });
}

async function foreground(): Promise<number> {
  if (process.env['SERIN_LAB']) {
    console.error('this is the inside of a lab already');
    return 1;
  }
  const other = running();
  if (other !== undefined) {
    console.error(`a lab is running already, as process ${other.pid}: npm run lab -- exec COMMAND... joins it`);
    return 1;
  }
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  const lab = await startLab({ onPart, onEvent, forget: runningFile() });
  remember(lab.pid, lab.env);
  await Promise.race([lab.prometheus, stopped, lab.ended]);
  console.log(reach(lab.env));
  await Promise.race([stopped, lab.ended]);
  const began = performance.now();
  await lab.stop();
  forget();
  console.log(`lab down in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return 0;
}

function reach(env: Readonly<Record<string, string>>): string {
  return [
    '',
    'It lives in a network of its own; from another terminal:',
    '  npm run lab -- exec kubectl get pods --all-namespaces --watch',
    `  npm run lab -- exec curl -s ${env['SERIN_LAB_GATEWAY']}/        the gateway, for routes whose parent is Gateway default/lab`,
    `  npm run lab -- exec curl -s '${env['SERIN_LAB_PROMETHEUS']}/api/v1/query?query=up'`,
    '  npm run lab -- exec bash',
    'Ctrl-C ends it.',
  ].join('\n');
}

async function buildOnly(): Promise<number> {
  const took = new Map<string, string>();
  await ensureParts(
    PARTS.map((part) => part.name),
    (event) => {
      onPart(event);
      if (event.event === 'found') took.set(event.part, `there already: ${event.path}`);
      if (event.event === 'built') took.set(event.part, `built in ${event.seconds} s: ${event.path}`);
    },
  );
  for (const part of PARTS) console.log(`${part.name.padEnd(24)} ${took.get(part.name)} (last build here or usual: ${likely(part)} s)`);
  return 0;
}

function onEvent(event: LabEvent): void {
  if (event.event === 'up') console.error(`lab up in ${event.seconds.toFixed(1)} s`);
  if (event.event === 'prometheus-up') console.error(`prometheus answers after ${event.seconds.toFixed(1)} s`);
  if (event.event === 'part-ended') console.error(event.message);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (cause) {
  if (!(cause instanceof SerinError)) throw cause;
  console.error(`${cause.code}: ${cause.message}\n  ${cause.hint}`);
  process.exitCode = 1;
}
