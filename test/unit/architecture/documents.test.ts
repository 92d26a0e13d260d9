import { readFile } from 'node:fs/promises';
import test from 'ava';
import { parseFleet } from '../../../src/desired/fleet.ts';
import { parseRelease } from '../../../src/desired/release.ts';
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
