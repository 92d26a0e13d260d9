import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Sha } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import type { Source } from '../ports.ts';
import { filesOfCommit } from './git-files.ts';
import { askGit, GitFailure, runGit, withoutPassword } from './run-git.ts';

export interface GitOptions {
  /** A bare repository, a working one, or anything that git can fetch from. */
  readonly path: string;
  /** The branch that is deployed, for example main. */
  readonly base: string;
  /** Where repositories fetched from elsewhere are kept; the user's cache when nothing is said. */
  readonly cacheFolder?: string;
}

/** The files of a repository by the git binary: what is committed, never what only lies in the working directory. */
export function gitSource(options: GitOptions): Source {
  return isRemote(options.path) ? remote(options) : local(options);
}

/** https://host/x, ssh://host/x, file:///x, or git's short form user@host:x. */
export function isRemote(locator: string): boolean {
  return /^(https?|ssh|git|file):\/\//.test(locator) || /^[\w.-]+@[\w.-]+:/.test(locator);
}

function local({ path, base }: GitOptions): Source {
  return {
    async head(_known, signal): Promise<Sha> {
      const sha = await askGit(path, ['rev-parse', '--quiet', '--verify', `refs/heads/${base}^{commit}`], signal);
      if (sha === undefined) throw await whyNot(path, base, signal);
      return sha as Sha;
    },
    async files(commit, folders, signal) {
      await mustHave(path, commit, signal);
      return filesOfCommit(path, commit, '', folders, signal);
    },
  };
}

/** Either the folder is no repository that git will read, and git says why, or the branch is missing. */
async function whyNot(path: string, base: string, signal: AbortSignal): Promise<SerinError> {
  try {
    await runGit(path, ['rev-parse', '--git-dir'], signal);
    return noCommit(`on branch ${base} of ${path}`, 'check the name of the branch, and that it has a commit');
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return new SerinError('E_NO_REPOSITORY', `cannot read ${path}: ${error.message}`, {
      hint: 'name a Git repository that belongs to you',
      retry: 'never',
      cause: error,
    });
  }
}

/** Keeps a bare repository in the cache that holds only what was asked for, one commit deep. */
function remote({ path: address, base, cacheFolder }: GitOptions): Source {
  const folder = join(cacheFolder ?? userCache(), 'git', createHash('sha256').update(address).digest('hex').slice(0, 32));
  return {
    async head(_known, signal): Promise<Sha> {
      await prepare(folder, signal);
      const line = await fetching(address, () => runGit(folder, ['ls-remote', '--exit-code', address, `refs/heads/${base}`], signal), base);
      const sha = refIn(line.toString(), base);
      if (sha === undefined) throw noCommit(`on branch ${base} of ${withoutPassword(address)}`, 'check the branch');
      return sha;
    },
    async files(commit, folders, signal) {
      await prepare(folder, signal);
      if (!(await has(folder, commit, signal))) await fetching(address, () => fetch(folder, address, commit, signal), commit);
      return filesOfCommit(folder, commit, '', folders, signal);
    },
  };
}

/** ls-remote matches the ends of names, so other refs may stand in its answer too. */
function refIn(answer: string, base: string): Sha | undefined {
  const line = answer.split('\n').find((l) => l.endsWith(`\trefs/heads/${base}`));
  return line?.slice(0, 40) as Sha | undefined;
}

/** By the XDG base directory specification. */
function userCache(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'serin');
}

async function prepare(folder: string, signal: AbortSignal): Promise<void> {
  if (existsSync(join(folder, 'HEAD'))) return;
  await mkdir(folder, { recursive: true });
  await runGit(folder, ['init', '--quiet', '--bare', '.'], signal);
}

/** One commit with its files and nothing of its history. Servers give commits that a branch reaches, by name; those that do not give the branch. */
function fetch(folder: string, address: string, sha: Sha, signal: AbortSignal): Promise<Buffer> {
  return runGit(
    folder,
    [
      '-c',
      'gc.auto=0',
      '-c',
      'maintenance.auto=false',
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-write-fetch-head',
      '--',
      address,
      sha,
    ],
    signal,
  );
}

async function fetching(address: string, work: () => Promise<Buffer>, what: string): Promise<Buffer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const from = withoutPassword(address);
    // ls-remote --exit-code says 2 when it reached the repository and the branch is not there.
    if (error.code === 2 || /not our ref|couldn't find remote ref|unadvertised object/.test(error.message))
      throw noCommit(`${what} in ${from}`, 'check the branch, or whether the commit was force-pushed away');
    throw new SerinError('E_NO_REPOSITORY', `cannot read ${from}: ${error.message}`, {
      hint: 'check the address and that git can reach it without a password',
      retry: 'next run',
      cause: error,
    });
  }
}

/** Nothing that is no whole name of a commit is ever handed to git: a short one could become ambiguous later. */
async function has(folder: string, commit: Sha, signal: AbortSignal): Promise<boolean> {
  return /^[0-9a-f]{40}$/.test(commit) && (await askGit(folder, ['cat-file', '-e', `${commit}^{commit}`], signal)) !== undefined;
}

/** @throws SerinError E_NO_COMMIT */
export async function mustHave(folder: string, commit: Sha, signal: AbortSignal): Promise<void> {
  if (!(await has(folder, commit, signal))) throw noCommit(`${commit} in ${folder}`, 'fetch it, or check whether it was force-pushed away');
}

export function noCommit(what: string, hint: string): SerinError {
  return new SerinError('E_NO_COMMIT', `there is no commit ${what}`, { hint, retry: 'never' });
}
