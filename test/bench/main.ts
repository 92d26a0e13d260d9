/**
 * npm run bench: what a tick costs besides waiting for others. Prints a table; nothing is compared with a limit, for machines differ.
 * Each row is the median of several runs, with the fastest and the slowest beside it, so that a busy machine shows.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseManifests } from '../../src/desired/manifests.ts';
import { encodeLastApplied, readLastApplied } from '../../src/merge/last-applied.ts';
import { threeWay } from '../../src/merge/three-way.ts';
import { schemaFor } from '../unit/merge/schemas.ts';
import { live, manifest } from './deployment.ts';

const OBJECTS = 1000;
const RUNS = 7;
const root = join(import.meta.dirname, '..', '..');

interface Row {
  readonly what: string;
  readonly unit: string;
  readonly samples: readonly number[];
}

/** Milliseconds of each run; the first ones warm the compiler up and are not counted. */
function measure(work: () => void): number[] {
  for (let i = 0; i < 2; i++) work();
  return Array.from({ length: RUNS }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
}

function parseAndMerge(): Row[] {
  const files = new Map(Array.from({ length: OBJECTS }, (_, i) => [`releases/shop/web-${i}.yaml`, manifest(`web-${i}`)]));
  const schema = schemaFor({ apiVersion: 'apps/v1', kind: 'Deployment' });
  const parse = () => parseManifests(files, 'releases/shop', { namespace: 'shop' });
  const desired = parse();
  const inputs = (replicas: number) => desired.map((object) => ({ object, live: live(object, encodeLastApplied(object), replicas) }));
  const merge = (objects: ReturnType<typeof inputs>, patches: number) => () => {
    const merged = objects.map((one) =>
      threeWay({ base: readLastApplied(one.live), desired: one.object, overlaid: one.object, live: one.live, schema }),
    );
    const made = merged.filter(({ patch }) => patch !== undefined).length;
    if (made !== patches) throw new Error(`${made} patches were made instead of ${patches}`);
  };
  const perObject = (work: () => void) => measure(work).map((ms) => ms / OBJECTS);
  return [
    {
      what: `read ${OBJECTS} Deployments of ${(manifest('web-1').length / 1000).toFixed(1)} kB YAML`,
      unit: 'ms each',
      samples: perObject(parse),
    },
    { what: 'three-way merge, live is as Git has it: no patch', unit: 'ms each', samples: perObject(merge(inputs(3), 0)) },
    { what: 'three-way merge, replicas were changed by hand: a patch', unit: 'ms each', samples: perObject(merge(inputs(5), OBJECTS)) },
  ];
}

/** From the start of a process to its end: what a cold function pays before it does anything. */
async function coldStart(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'serin-bench-'));
  try {
    run('node', ['infra/build.ts', '--out', folder]);
    const start = (...command: string[]) => Array.from({ length: RUNS }, () => run(process.execPath, command));
    return [
      { what: 'an empty Node.js process', unit: 'ms', samples: start('-e', '0') },
      {
        what: 'the bundled function, imported',
        unit: 'ms',
        samples: start('-e', `import(${JSON.stringify(join(folder, 'schedule.mjs'))})`),
      },
      { what: 'the bundled command line, --help', unit: 'ms', samples: start(join(folder, 'serin.mjs'), '--help') },
      { what: 'the same from its sources', unit: 'ms', samples: start('src/cli/main.ts', '--help') },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}

function line({ what, unit, samples }: Row): string {
  const sorted = [...samples].sort((a, b) => a - b);
  const figure = (value = Number.NaN) => (value < 10 ? value.toFixed(3) : value.toFixed(0)).padStart(9);
  return `${what.padEnd(60)}${figure(sorted[sorted.length >> 1])}${figure(sorted[0])}${figure(sorted.at(-1))}  ${unit}`;
}

const [{ model } = { model: 'unknown processor' }] = cpus();
console.log(`Node.js ${process.version}, ${cpus().length} x ${model}`);
console.log(`${''.padEnd(60)}${'median'.padStart(9)}${'least'.padStart(9)}${'most'.padStart(9)}`);
for (const row of parseAndMerge()) console.log(line(row));
for (const row of await coldStart()) console.log(line(row));
console.log(`${Math.round(process.memoryUsage.rss() / 1e6)} MB resident at the end, ${OBJECTS} objects and all of the above in memory`);
