import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Sha } from '../../../src/desired/types.ts';
import { describeDirectory } from '../../../src/source/directory.ts';
import { gitSource } from '../../../src/source/git.ts';
import { openSource } from '../../../src/source/open.ts';

const { signal } = new AbortController();

function folder(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const made = mkdtempSync(join(tmpdir(), 'serin-open-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(made, name), content);
  return made;
}

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=mia', '-c', 'user.email=mia@users.noreply.example', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
}

function committed(t: ExecutionContext): { path: string; sha: Sha } {
  const path = folder(t, { 'a.yaml': 'a: 1\n', '.gitignore': 'ignored\n' });
  git(path, 'init', '--quiet');
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', 'first');
  return { path, sha: git(path, 'rev-parse', 'HEAD') as Sha };
}

test('given a plain directory, when it is opened, then its files are given as they lie there, and its head follows them', async (t) => {
  const path = folder(t, { 'a.yaml': 'a: 1\n' });
  const source = await openSource(path, 'main');
  const before = await source.head(undefined, signal);
  t.regex(before, /^[0-9a-f]{40}$/);
  t.is(await source.head(undefined, signal), before);
  writeFileSync(join(path, 'a.yaml'), 'a: 2\n');
  const after = await source.head(undefined, signal);
  t.not(after, before);
  t.deepEqual([...(await source.files(after, [], signal))], [['a.yaml', 'a: 2\n']]);
  await t.throwsAsync(source.files(before, [], signal), { code: 'E_NO_COMMIT' });
});

test('given a repository with a working directory, when it is opened, then what is committed counts', async (t) => {
  const { path, sha } = committed(t);
  writeFileSync(join(path, 'a.yaml'), 'a: 2\n');
  const source = await openSource(path, 'main');
  t.is(await source.head(undefined, signal), sha);
  t.is((await source.files(sha, [], signal)).get('a.yaml'), 'a: 1\n');
});

test('given a bare repository and its address, when they are opened, then both give the same', async (t) => {
  const { path, sha } = committed(t);
  const bare = `${folder(t, {})}/deploy.git`;
  git(path, 'clone', '--quiet', '--bare', path, bare);
  t.is(await (await openSource(bare, 'main')).head(undefined, signal), sha);
  t.is(await (await openSource(`file://${bare}`, 'main', folder(t, {}))).head(undefined, signal), sha);
});

test('given a name of nothing, when it is opened, then E_NO_REPOSITORY; a password in an address is never told', async (t) => {
  await t.throwsAsync(openSource('/nowhere/at/all', 'main'), { code: 'E_NO_REPOSITORY', message: /nowhere/ });
  const source = await openSource('http://mia:hunter2@127.0.0.1:1/deploy.git', 'main', folder(t, {}));
  const error = await t.throwsAsync(source.head(undefined, signal), { code: 'E_NO_REPOSITORY' });
  t.notRegex(`${error?.stack} ${String(error?.cause)}`, /hunter2/);
});

test('given a branch that is not there, when its head is read, then E_NO_COMMIT, locally and by address', async (t) => {
  const { path } = committed(t);
  await t.throwsAsync((await openSource(path, 'production')).head(undefined, signal), { code: 'E_NO_COMMIT', message: /production/ });
  await t.throwsAsync((await openSource(`file://${path}`, 'production', folder(t, {}))).head(undefined, signal), {
    code: 'E_NO_COMMIT',
    message: /production/,
  });
});

test('given a working directory, when it is described, then clean, changed and untracked are told apart; ignored files do not count', async (t) => {
  const { path, sha } = committed(t);
  t.deepEqual(await describeDirectory(path, signal), { commit: sha, dirty: false, head: sha });
  writeFileSync(join(path, 'ignored'), 'x');
  t.false((await describeDirectory(path, signal)).dirty);
  writeFileSync(join(path, 'new.yaml'), 'x');
  const changed = await describeDirectory(path, signal);
  t.is(changed.commit, sha);
  t.true(changed.dirty);
  t.not(changed.head, sha);
});

test("given a folder that is no repository, when it is read as one, then E_NO_REPOSITORY with git's own words", async (t) => {
  await t.throwsAsync(gitSource({ path: folder(t, {}), base: 'main' }).head(undefined, signal), {
    code: 'E_NO_REPOSITORY',
    message: /not a git repository/,
  });
});
