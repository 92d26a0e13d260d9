/** npm run demo: a canary from nothing, in a lab on this machine. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRepository } from '../../src/desired/repository.ts';
import { InputError, SerinError } from '../../src/errors.ts';
import { errorText } from '../../src/report/error.ts';
import { likely } from '../lab/build.ts';
import { type Lab, runInside, startLab } from '../lab/lab.ts';
import { executable, PARTS, type PartEvent, partPath } from '../lab/parts.ts';
import { partProgress } from '../lab/progress.ts';
import { now } from './events.ts';
import { HELP, readOptions } from './options.ts';
import { type InsideOrder, PROGRESS_FILE, type Progress } from './order.ts';
import { shopFiles } from './shop.ts';
import { jsonView, plainView } from './views.ts';

/** What it took on two cores; told as "about". */
const SECONDS_ONCE_BUILT = 70;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${errorText(error, { colour: process.stderr.isTTY === true })}\n`);
  process.exitCode = error instanceof InputError || (error instanceof SerinError && error.code === 'E_USAGE') ? 2 : 1;
}

async function main(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  // Numbers that serin would refuse are refused before anything starts.
  readRepository(new Map(Object.entries(shopFiles(options, 'http://prometheus'))));
  const started = Date.now();
  const { tell } = options.json
    ? jsonView(process.stdout)
    : plainView(process.stdout, started, { colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined });
  const missing = PARTS.filter(({ name }) => !executable(partPath(name)));
  const buildSeconds = missing.reduce((sum, part) => sum + likely(part), 0);
  tell({
    time: now(),
    event: 'started',
    steps: options.steps,
    toBuild: missing.map(({ name }) => name),
    buildSeconds,
    seconds: SECONDS_ONCE_BUILT,
  });
  const building: Building = {
    lab: undefined,
    up: false,
    tell: options.json ? (part) => tell({ time: now(), event: 'part', part }) : partProgress(process.stdout),
  };
  const lab = await startLab({
    onPart: (event) => told(building, event),
    onEvent: (event) => {
      if (event.event === 'up') building.up = true;
      if (event.event === 'up') tell({ time: now(), event: 'lab-ready', seconds: event.seconds });
      if (event.event === 'part-ended') process.stderr.write(`${event.message}\n`);
    },
  });
  return within(lab, building, { options, started, ready: Date.now() });
}

/** Before the lab is up its parts are told of here; after that, what is still building is told to the process inside. */
interface Building {
  lab: Lab | undefined;
  up: boolean;
  readonly tell: (event: PartEvent) => void;
}

function told({ lab, up, tell }: Building, part: PartEvent): void {
  if (!up) return tell(part);
  if (lab !== undefined && part.event !== 'found') write(lab, { part });
}

async function within(lab: Lab, building: Building, order: InsideOrder): Promise<number> {
  building.lab = lab;
  lab.prometheus.catch((error: unknown) => write(lab, { failed: error instanceof Error ? error.message : String(error) }));
  try {
    return await runInside(lab.pid, lab.env, [process.execPath, join(import.meta.dirname, 'inside.ts'), JSON.stringify(order)]);
  } finally {
    await lab.stop();
  }
}

/** Into the lab's own folder in memory, seen from outside: it goes when the lab does. */
function write({ pid, env }: Lab, progress: Progress): void {
  const file = join('/proc', String(pid), 'root', env['TMPDIR'] ?? '/tmp', PROGRESS_FILE);
  try {
    writeFileSync(`${file}.new`, JSON.stringify(progress));
    renameSync(`${file}.new`, file);
  } catch {
    // The lab has ended in the meantime: nobody is left to read it.
  }
}
