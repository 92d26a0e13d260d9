/** npm run build: one file for each way to run serin, in dist, and how large each is. The same sources give the same bytes. */
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

const BUNDLES = [
  { name: 'serin.mjs', entry: 'src/cli/main.ts', command: true },
  { name: 'schedule.mjs', entry: 'functions/schedule/index.ts', command: false },
  { name: 'action.mjs', entry: 'functions/action/index.ts', command: false },
] as const;

// Some packages are CommonJS and call require() of Node.js' own modules, which an ES module does not have.
const REQUIRE = "import { createRequire as serinCreateRequire } from 'node:module'; const require = serinCreateRequire(import.meta.url);";

async function bundle({ name, entry, command }: (typeof BUNDLES)[number], folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, name),
    bundle: true,
    platform: 'node',
    target: 'node22.20',
    format: 'esm',
    minify: true,
    // An error's place in one line of megabytes would be no place; Node.js prints the whole line, too.
    lineLimit: 200,
    // Stack traces and error names stay readable for who reports a mistake.
    keepNames: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
    // A first line that names the interpreter stays the first.
    banner: { js: REQUIRE },
  });
  if (command) await chmod(join(folder, name), 0o755);
  return metafile;
}

/** The packages that weigh most in a bundle, heaviest first. */
function heaviest(metafile: Metafile, count: number): string {
  const bytes = new Map<string, number>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'serin itself';
      bytes.set(owner, (bytes.get(owner) ?? 0) + bytesInOutput);
    }
  }
  const sorted = [...bytes].sort(([, a], [, b]) => b - a).slice(0, count);
  return sorted.map(([owner, size]) => `${owner} ${kilobytes(size)}`).join(', ');
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } });
for (const each of BUNDLES) {
  const metafile = await bundle(each, values.out);
  const text = await readFile(join(values.out, each.name));
  console.log(`${styleText('bold', each.name.padEnd(14))} ${kilobytes(text.length).padStart(8)}, gzip ${kilobytes(gzipSync(text).length)}`);
  console.log(`  ${heaviest(metafile, 5)}`);
}
