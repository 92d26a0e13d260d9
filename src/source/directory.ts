import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha } from '../desired/types.ts';
import type { Source } from '../ports.ts';
import { mustHave, noCommit } from './git.ts';
import { filesOfCommit } from './git-files.ts';
import { askGit, runGit } from './run-git.ts';
import { blobSha, textOf, within } from './text.ts';

/** What a directory is at this moment. */
export interface DirectoryState {
  /** The commit that is checked out; undefined where there is no Git, or no commit yet. */
  readonly commit: Sha | undefined;
  /** Whether the files differ from that commit. */
  readonly dirty: boolean;
  /** What the directory's source answers as head: the commit when clean, else a digest of the files, so that it is never taken for a commit. */
  readonly head: Sha;
}

/**
 * The working directory as it lies there, for planning on a laptop. Files that Git ignores are left out.
 * Older commits are read from the repository around it, where there is one.
 */
export function directorySource(path: string): Source {
  return {
    head: async (_known, signal) => (await describeDirectory(path, signal)).head,
    async files(commit, folders, signal) {
      if (commit === (await describeDirectory(path, signal)).head) return textsOf(path, await paths(path, signal), folders);
      if (!(await isInGit(path, signal)))
        throw noCommit(`${commit}: ${path} has no Git repository`, 'the directory has changed since, or another commit needs `git init`');
      await mustHave(path, commit, signal);
      const prefix = (await askGit(path, ['rev-parse', '--show-prefix'], signal)) ?? '';
      return filesOfCommit(path, commit, prefix, folders, signal);
    },
  };
}

export async function describeDirectory(path: string, signal: AbortSignal): Promise<DirectoryState> {
  const commit = (await askGit(path, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], signal)) as Sha | undefined;
  const changes =
    commit === undefined ? undefined : await askGit(path, ['status', '--porcelain', '--untracked-files=all', '--', '.'], signal);
  const dirty = changes !== '';
  return { commit, dirty, head: dirty || commit === undefined ? await digest(path, signal) : commit };
}

/** 40 hex digits over names and contents: the same files give the same head. */
async function digest(path: string, signal: AbortSignal): Promise<Sha> {
  const hash = createHash('sha1');
  for (const name of [...(await paths(path, signal))].sort()) hash.update(`${name}\0${blobSha(await readFile(join(path, name)))}\n`);
  return hash.digest('hex') as Sha;
}

async function textsOf(path: string, names: readonly string[], folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const name of names.filter((n) => within(n, folders))) {
    const text = textOf(await readFile(join(path, name)));
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

/** Plain files below the directory, by paths with forward slashes, sorted; links and Git's own folder are none of them. */
async function paths(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const listed = (await isInGit(path, signal)) ? await listedByGit(path, signal) : await listedByHand(path, '');
  const plain = await Promise.all(listed.map(async (name) => (await lstat(join(path, name)).catch(() => undefined))?.isFile() ?? false));
  return listed.filter((_, i) => plain[i]).sort();
}

async function isInGit(path: string, signal: AbortSignal): Promise<boolean> {
  return (await askGit(path, ['rev-parse', '--is-inside-work-tree'], signal)) === 'true';
}

async function listedByGit(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const output = await runGit(path, ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], signal);
  return output
    .toString()
    .split('\0')
    .filter((name) => name !== '');
}

async function listedByHand(root: string, below: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === '.git' ? [] : listedByHand(root, name);
      return [name];
    }),
  );
  return found.flat();
}
