import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { Files, Sha } from '../../src/desired/types.ts';
import { github } from '../../src/github/connect.ts';
import type { Source } from '../../src/ports.ts';
import { directorySource } from '../../src/source/directory.ts';
import { gitSource } from '../../src/source/git.ts';
import { startGitHub } from '../github/emulator.ts';

const run = promisify(execFile);
const repository = 'acme/deploy';
const { signal } = new AbortController();

/** A working repository with everything in it that a source must give or leave out. */
interface Work {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Writes a file and commits all. @returns the commit */
  readonly commit: (path: string, content: string) => Promise<Sha>;
}

const kinds = ['git, local', 'git, by address', 'directory', 'GitHub', 'GitHub, truncated trees'] as const;
type Kind = (typeof kinds)[number];

async function temporary(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'serin-source-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function work(t: ExecutionContext): Promise<Work> {
  const folder = await temporary(t);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const identity = ['-c', 'user.name=mia', '-c', 'user.email=mia@users.noreply.example'];
  const git = async (...args: readonly string[]) => (await run('git', [...identity, ...args], { cwd: folder, env })).stdout.trim();
  const put = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  const commit = async (path: string, content: string) => {
    await put(path, content);
    await git('add', '--all');
    await git('commit', '--quiet', '--message', `write ${path}`);
    return (await git('rev-parse', 'HEAD')) as Sha;
  };
  await git('init', '--quiet', '--initial-branch=main');
  await put('serin.yaml', 'kind: Fleet\n');
  await put('releases/shop/release.yaml', 'kind: Release\n');
  await put('releases/shop/größe.yaml', 'wörter: ja\n');
  await put('releases/shop-eu/release.yaml', 'kind: Release\n');
  await put('releases/shop/logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
  await put('releases/shop/model.bin', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n');
  await symlink('release.yaml', join(folder, 'releases/shop/link.yaml'));
  await put('releases/shop/empty.yaml', '');
  return { folder, git, commit };
}

async function open(t: ExecutionContext, kind: Kind, { folder, git }: Work): Promise<{ source: Source; publish: () => Promise<void> }> {
  const nothing = async () => {};
  if (kind === 'git, local') return { source: gitSource({ path: folder, base: 'main' }), publish: nothing };
  if (kind === 'directory') return { source: directorySource(folder), publish: nothing };
  if (kind === 'git, by address')
    return { source: gitSource({ path: `file://${folder}`, base: 'main', cacheFolder: await temporary(t) }), publish: nothing };
  const limit = kind === 'GitHub' ? {} : { treeLimit: 6 };
  const hub = await startGitHub({ folder: await temporary(t), repository, ...limit });
  t.teardown(() => hub.close());
  const publish = async () => void (await git('push', '--quiet', '--force', hub.repositoryFolder, 'HEAD:refs/heads/main'));
  return { source: github({ repository, base: 'main', auth: { token: 'x' }, baseUrl: hub.url }).source, publish };
}

const sorted = (files: Files) => Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
const shop = {
  'releases/shop/empty.yaml': '',
  'releases/shop/größe.yaml': 'wörter: ja\n',
  'releases/shop/release.yaml': 'kind: Release\n',
};

for (const kind of kinds) {
  const given = `given a repository read by ${kind}`;

  test(`${given}, when its files are read, then text is given whole; binaries, links and LFS pointers are left out`, async (t) => {
    const at = await work(t);
    const made = await at.commit('serin.yaml', 'kind: Fleet\n');
    const { source, publish } = await open(t, kind, at);
    await publish();
    t.is(await source.head(undefined, signal), made);
    t.deepEqual(sorted(await source.files(made, [], signal)), {
      ...shop,
      'releases/shop-eu/release.yaml': 'kind: Release\n',
      'serin.yaml': 'kind: Fleet\n',
    });
  });

  test(`${given}, when folders are named, then only what lies in them is read, and no neighbour of a like name`, async (t) => {
    const at = await work(t);
    const made = await at.commit('serin.yaml', 'kind: Fleet\n');
    const { source, publish } = await open(t, kind, at);
    await publish();
    await source.head(undefined, signal);
    t.deepEqual(sorted(await source.files(made, ['releases/shop'], signal)), shop);
    t.deepEqual(sorted(await source.files(made, ['./releases/shop/', 'serin.yaml'], signal)), { ...shop, 'serin.yaml': 'kind: Fleet\n' });
    t.deepEqual(sorted(await source.files(made, ['nowhere'], signal)), {});
  });

  test(`${given}, when a commit is added, then head moves and the older commit is read as it was`, async (t) => {
    const at = await work(t);
    const first = await at.commit('serin.yaml', 'kind: Fleet\n');
    const { source, publish } = await open(t, kind, at);
    await publish();
    t.is(await source.head(undefined, signal), first);
    const second = await at.commit('serin.yaml', 'kind: Fleet # changed\n');
    await publish();
    t.is(await source.head(first, signal), second);
    t.is(await source.head(second, signal), second);
    t.deepEqual(sorted(await source.files(second, ['serin.yaml'], signal)), { 'serin.yaml': 'kind: Fleet # changed\n' });
    t.deepEqual(sorted(await source.files(first, ['serin.yaml'], signal)), { 'serin.yaml': 'kind: Fleet\n' });
  });

  test(`${given}, when a commit is asked for that is not there, then E_NO_COMMIT`, async (t) => {
    const at = await work(t);
    await at.commit('serin.yaml', 'kind: Fleet\n');
    const { source, publish } = await open(t, kind, at);
    await publish();
    await t.throwsAsync(source.files('0123456789012345678901234567890123456789' as Sha, [], signal), { code: 'E_NO_COMMIT' });
  });

  test(`${given}, when the caller gives up, then the reason is the caller's own`, async (t) => {
    const at = await work(t);
    const made = await at.commit('serin.yaml', 'kind: Fleet\n');
    const { source, publish } = await open(t, kind, at);
    await publish();
    const reason = new Error('the budget is spent');
    t.is(await t.throwsAsync(source.files(made, [], AbortSignal.abort(reason))), reason);
    t.is(await t.throwsAsync(source.head(undefined, AbortSignal.abort(reason))), reason);
  });
}
