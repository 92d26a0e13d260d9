import { glob, readFile } from 'node:fs/promises';
import test from 'ava';
import { violations } from './architecture/rules.ts';
import { scan } from './architecture/scan.ts';

const root = new URL('../../', import.meta.url);

async function sources(): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob('{src,functions,infra,test}/**/*.ts', { cwd: root, exclude: (name) => name === 'node_modules' }))
    found.push(path);
  return found.sort();
}

test('given the source as it is, then no file breaks a rule of the house', async (t) => {
  const paths = await sources();
  t.true(paths.length > 10, 'the sources were found');
  const all = await Promise.all(paths.map(async (path) => violations({ path, text: await readFile(new URL(path, root), 'utf8') })));
  const found = all.flat();
  t.is(found.length, 0, `\n${found.join('\n')}\n`);
});

/** One planted file: what is said about it, in order; nothing when it is allowed. */
const says = test.macro((t, path: string, text: string, then: readonly string[]) => t.deepEqual(violations({ path, text }), then));

test(
  'given a pure folder that imports a shell folder, then file, line and import are named',
  says,
  'src/rollout/light.ts',
  "\nimport { Api } from '../cluster/api.ts';",
  ['src/rollout/light.ts:2: imports ../cluster/api.ts: rollout may not import cluster'],
);
test(
  'given a pure folder that imports only a type of a shell folder, then it is named as well',
  says,
  'src/plan/plan.ts',
  "import type { Api } from '../cluster/api.ts';",
  ['src/plan/plan.ts:1: imports ../cluster/api.ts: plan may not import cluster'],
);
test('given a pure folder that imports Node.js, then it is named', says, 'src/desired/parse.ts', "import { join } from 'node:path';", [
  'src/desired/parse.ts:1: imports node:path: desired is pure and knows no Node.js',
]);
test('given a pure folder that re-exports the shell, then it is named', says, 'src/objects.ts', "export * from './tick/run.ts';", [
  'src/objects.ts:1: imports ./tick/run.ts: . may not import tick',
]);
test(
  'given a pure folder that imports the shell late, then it is named',
  says,
  'src/merge/merge.ts',
  "const api = await import('../github/api.ts');",
  ['src/merge/merge.ts:1: imports ../github/api.ts: merge may not import github'],
);
test(
  'given a pure folder that imports an allowed package, then nothing is said',
  says,
  'src/versions/revision.ts',
  "import { sha256 } from '@noble/hashes/sha2.js';",
  [],
);
test('given a package that nobody has allowed, then it is named', says, 'src/report/text.ts', "import chalk from 'chalk';", [
  'src/report/text.ts:1: imports chalk: a package that the table does not list',
]);
test(
  'given the Kubernetes client outside src/cluster, then it is named',
  says,
  'src/cli/wire.ts',
  "import { KubeConfig } from '@kubernetes/client-node';",
  ['src/cli/wire.ts:1: imports @kubernetes/client-node: only cluster may import it'],
);
test('given Octokit outside src/github, then it is named', says, 'src/source/github.ts', "import { Octokit } from '@octokit/rest';", [
  'src/source/github.ts:1: imports @octokit/rest: only github may import it',
]);
test('given node-cron outside src/cli, then it is named', says, 'src/tick/run.ts', "import cron from 'node-cron';", [
  'src/tick/run.ts:1: imports node-cron: only cli may import it',
]);
test('given the source importing a test, then it is named', says, 'src/cli/main.ts', "import { lab } from '../../test/lab/main.ts';", [
  'src/cli/main.ts:1: imports ../../test/lab/main.ts: cli may import only src',
]);
test('given an import whose name is computed, then it is named', says, 'src/cli/main.ts', 'const x = await import(name);', [
  'src/cli/main.ts:1: an import whose name is computed: nobody can check it',
]);
test('given a folder that the table does not know, then it is named', says, 'src/engine/run.ts', '', [
  'src/engine/run.ts:1: the folder engine is not in the table of test/unit/architecture/table.ts',
]);
test(
  'given a shell folder that uses Node.js and its clock, then nothing is said',
  says,
  'src/tick/run.ts',
  "import { hostname } from 'node:os';\nconst t = Date.now();",
  [],
);

const impure = test.macro((t, code: string, name: string) =>
  t.deepEqual(violations({ path: 'src/gates/judge.ts', text: `\n\n${code}` }), [
    `src/gates/judge.ts:3: uses ${name}: gates is pure; hand the value in`,
  ]),
);
test('given a pure folder that reads the clock, then it is named', impure, 'const now = Date.now();', 'Date.now');
test('given a pure folder that makes a date of now, then it is named', impure, 'const now = new Date();', 'new Date() without a time');
test('given a pure folder that draws lots, then it is named', impure, 'const r = Math.random();', 'Math.random');
test('given a pure folder that reads the environment, then it is named', impure, "const home = process.env['HOME'];", 'process');
test('given a pure folder that prints, then it is named', impure, 'console.log(1);', 'console');
test(
  'given a pure folder that prints inside a template, then it is named',
  impure,
  'const s = `a ${console.log({ a: `${1}` })} b`;',
  'console',
);
test('given a pure folder that fetches, then it is named', impure, 'await fetch(url);', 'fetch');
test('given a pure folder that waits, then it is named', impure, 'setTimeout(done, 5);', 'setTimeout');

test(
  'given a date made from a number, a name in a comment, a string and a pattern, then nothing is said',
  says,
  'src/report/text.ts',
  [
    '// console.log(Date.now()) is not for here',
    '/** @see fetch() */',
    "const a = 'process.env and Math.random()';",
    'const b = `fetch(${new Date(at * 1000).toISOString()}) /`;',
    'const c = text.replace(/console.log("\'`/g, "");',
    'const d = plan.process(1) / 2;',
  ].join('\n'),
  [],
);

const WATCH = 'a resident watch: a tick lists, and ends';
test('given a list call that watches, then it is named', says, 'src/cluster/list.ts', 'await list({ watch: true });', [
  `src/cluster/list.ts:1: ${WATCH}`,
]);
test('given a path that watches, then it is named', says, 'src/cluster/list.ts', 'get(`/api/v1/pods?limit=5&watch=true`);', [
  `src/cluster/list.ts:1: ${WATCH}`,
]);
test(
  'given the client’s Watch, then it is named',
  says,
  'src/cluster/list.ts',
  "import { KubeConfig, Watch } from '@kubernetes/client-node';",
  [`src/cluster/list.ts:1: ${WATCH}`],
);
test(
  'given the command that is called watch, then nothing is said',
  says,
  'src/cli/watch.ts',
  'export async function watch(every: Seconds) {}',
  [],
);
test('given a Deno global in a test, then it is named', says, 'test/lab/main.ts', 'const a = 1;\nawait Deno.readFile(a);', [
  'test/lab/main.ts:2: uses Deno: serin runs on Node.js',
]);
test('given a file called helpers, then it is named', says, 'test/lab/helpers.ts', '', [
  'test/lab/helpers.ts:1: is called helpers.ts: a name says what the file is for',
]);
test('given a folder called utils, then it is named', says, 'src/merge/utils/list.ts', '', [
  'src/merge/utils/list.ts:1: is called utils: a name says what the file is for',
]);

const RULE = 'src/tick decides nothing; ask a pure folder';
const decides = test.macro((t, code: string, what: string) =>
  t.deepEqual(violations({ path: 'src/tick/act.ts', text: code }), [`src/tick/act.ts:1: ${what}: ${RULE}`]),
);
test(
  'given a tick that compares a weight with a limit, then it is named',
  decides,
  'if (seen.weight >= limit) return;',
  'compares (weight >=)',
);
test(
  'given a tick that compares a limit with a weight, then it is named',
  decides,
  'if (limit < canary.weight) return;',
  'compares (< canary.weight)',
);
test('given a tick that compares a verdict, then it is named', decides, 'if (reading.verdict === other) return;', 'compares (verdict ===)');
test('given a tick that names a verdict, then it is named', decides, "const bad = all.filter(is('fail'));", "names the verdict 'fail'");
test('given a tick that judges a gate, then it is named', decides, 'const r = judge(gate, answer);', 'judges a gate');
test(
  'given a tick that carries a weight from a decision to a write, then nothing is said',
  says,
  'src/tick/act.ts',
  'const weights: Record<string, Percent> = {};\nawait shift(step.weight, (w) => w);',
  [],
);

test(
  'given ports with code in them, then the line is named',
  says,
  'src/ports.ts',
  "import type { Sha } from './desired/types.ts';\nexport interface A { b: Sha }\nexport const c = 1;",
  ['src/ports.ts:3: holds code: ports are types only'],
);
test('given ports of types alone, then nothing is said', says, 'src/ports.ts', '/** A. */\nexport type A = 1;\n', []);

test('given quotes, slashes and templates in each other, then imports are found at their lines', (t) => {
  const { imports } = scan(
    'const a = `${f({ b: "x" })} from \'y\'`;\nconst c = 4 / 2; // from "z"\nimport d from \'./d.ts\'; import "./e.ts";\nArray.from("f");',
  );
  t.deepEqual(imports, [
    { specifier: './d.ts', line: 3 },
    { specifier: './e.ts', line: 3 },
  ]);
});
