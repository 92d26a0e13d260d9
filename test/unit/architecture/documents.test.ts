import { readFile } from 'node:fs/promises';
import test from 'ava';
import { parseFleet } from '../../../src/desired/fleet.ts';
import { parseRelease } from '../../../src/desired/release.ts';
import { parseDocuments } from '../../../src/desired/yaml.ts';
import { at } from '../../../src/objects.ts';
import { MAY_IMPORT, PACKAGES, PURE, SHELL } from './table.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

test('given the table of pure folders, then each imports only what stands before it', (t) => {
  for (const [index, folder] of PURE.entries()) {
    const before: readonly string[] = PURE.slice(1, index);
    if (folder !== '.')
      t.true(
        MAY_IMPORT[folder].every((other) => before.includes(other)),
        folder,
      );
  }
});

test('given a pure folder, then its row names no shell folder', (t) => {
  const shell: readonly string[] = SHELL;
  t.deepEqual(
    PURE.flatMap((folder) => MAY_IMPORT[folder].filter((other) => shell.includes(other))),
    [],
  );
});

test('given the explanation for people, then its table is the one that is checked', async (t) => {
  const rows = [...(await read('docs/explanation/architecture.md')).matchAll(/^\| `([a-z.]+)` \|[^|]*\| (pure|shell) \| ([^|]*) \|$/gm)];
  t.deepEqual(
    rows.map(([, folder]) => folder),
    Object.keys(MAY_IMPORT),
  );
  for (const [, folder = '', kind, imports = ''] of rows) {
    t.is(kind, (PURE as readonly string[]).includes(folder) ? 'pure' : 'shell', folder);
    if (folder === 'tick' || folder === 'cli') continue;
    t.deepEqual(
      [...imports.matchAll(/`([a-z]+)`/g)].map(([, name]) => name),
      [...MAY_IMPORT[folder as keyof typeof MAY_IMPORT]],
      folder,
    );
  }
});

test('given the explanation for people, then it names every package that pure folders may import', async (t) => {
  const text = await read('docs/explanation/architecture.md');
  const pure = Object.entries(PACKAGES).filter(([, folders]) => folders.includes('desired'));
  for (const [name] of pure) t.true(text.includes(name.replace('*', '')), name);
});

test('given the README, then it is short, and its example is a release that serin takes', async (t) => {
  const text = await read('README.md');
  t.true(text.split('\n').length <= 150);
  const [, example = ''] = /```yaml\n(apiVersion: serin\.dev\/v1alpha1\nkind: Release\n[\s\S]*?)```/.exec(text) ?? [];
  t.is(example.trimEnd().split('\n').length, 12);
  const fleet = parseFleet(
    'serin.yaml',
    'apiVersion: serin.dev/v1alpha1\nkind: Fleet\nmetadata: {name: acme}\nspec: {clusters: {here: {inCluster: true}}}\n',
  );
  const release = parseRelease('releases/shop/release.yaml', example, { fleet, gates: new Map() });
  t.deepEqual(
    release.canary?.steps.map((step) => Number(step.weight)),
    [10, 50, 100],
  );
  t.deepEqual(Object.keys(release.gates), ['errors']);
});

const yaml = async (path: string) => parseDocuments(path, await read(path))[0];

test('given the example workflow, then it names only inputs that the action has, and the action runs a bundle that is built', async (t) => {
  const action = await yaml('action.yml');
  const workflow = await yaml('infra/github/serin.yml');
  const steps = at(workflow, 'jobs', 'tick', 'steps') as { uses?: string; with?: object }[];
  const inputs = Object.keys(at(action, 'inputs') as object);
  t.deepEqual(
    steps.flatMap((step) => Object.keys(step.with ?? {})).filter((input) => !inputs.includes(input)),
    [],
  );
  const bundle = String(at(action, 'runs', 'main')).replace('dist/', '');
  t.true((await read('infra/build.ts')).includes(`name: '${bundle}'`));
  const entry = await read('functions/action/index.ts');
  for (const input of inputs) t.true(entry.includes(`INPUT_${input.toUpperCase()}`), input);
});

test('given the workflows, then a running tick is never cancelled, and every action is pinned to a version', async (t) => {
  t.is(at(await yaml('infra/github/serin.yml'), 'concurrency', 'cancel-in-progress'), false);
  for (const path of ['infra/github/serin.yml', '.github/workflows/check.yml']) {
    const uses = [...(await read(path)).matchAll(/- uses: (\S+)/g)].map(([, name = '']) => name);
    t.true(uses.length > 0 && uses.every((name) => /@v\d+(\.\d+)*$/.test(name)), path);
  }
});
