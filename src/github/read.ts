import type { Files, Sha } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import type { Source } from '../ports.ts';
import { blobSha, isFileMode, textOf, within } from '../source/text.ts';
import type { BlobCache } from './blobs.ts';
import type { Client } from './client.ts';
import { explain, statusOf } from './errors.ts';

/** One file of a tree. */
interface Entry {
  readonly path: string;
  readonly sha: string;
}

/** Blobs fetched at the same time. GitHub allows a hundred requests at once over everything a token does. */
const concurrency = 8;
/** Listings kept: head, stable and candidate of a few looks. */
const listingsKept = 8;

/** The files of a repository on GitHub: one listing per commit, then each blob once ever. */
export function githubSource(client: Client, base: string, blobs: BlobCache): Source {
  const listings = new Map<Sha, readonly Entry[]>();
  const listingOf = async (commit: Sha, folders: readonly string[], signal: AbortSignal): Promise<readonly Entry[]> => {
    const known = listings.get(commit);
    if (known !== undefined) return known;
    const { entries, whole } = await list(client, commit, folders, signal);
    if (whole) listings.set(commit, entries);
    if (listings.size > listingsKept) listings.delete(listings.keys().next().value as Sha);
    return entries;
  };
  return {
    head: (known, signal) => readHead(client, base, known, signal),
    async files(commit, folders, signal): Promise<Files> {
      const wanted = (await listingOf(commit, folders, signal)).filter((entry) => within(entry.path, folders));
      const bytes = await inParallel(wanted, (entry) => readBlob(client, blobs, entry, signal));
      const texts = wanted.map((entry, i) => [entry.path, textOf(bytes[i] as Buffer)] as const);
      return new Map(texts.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
    },
  };
}

/**
 * The commit that the branch names. With the media type `sha` the ETag is the SHA itself, so what we hold is all that a free 304 needs.
 * @see https://docs.github.com/rest/commits/commits#get-a-commit
 */
async function readHead({ octokit, owner, repo, name }: Client, base: string, known: Sha | undefined, signal: AbortSignal): Promise<Sha> {
  const headers = { accept: 'application/vnd.github.sha', ...(known === undefined ? {} : { 'if-none-match': `"${known}"` }) };
  try {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/commits/{ref}', {
      owner,
      repo,
      ref: `heads/${base}`,
      headers,
      request: { signal },
    });
    return shaOf(data);
  } catch (error) {
    if (statusOf(error) === 304 && known !== undefined) return known;
    if (statusOf(error) === 422 || statusOf(error) === 409)
      throw noCommit(`branch ${base} of ${name}`, 'check `base`: the branch is not there, or has no commit yet');
    throw explain(error, `read branch ${base} of ${name}`, signal);
  }
}

/** Octokit hands text of this media type over as a string only when the answer names a charset. */
function shaOf(data: unknown): Sha {
  const text = data instanceof ArrayBuffer ? Buffer.from(data).toString() : String(data);
  if (!/^[0-9a-f]{40}$/.test(text))
    throw new SerinError('E_GITHUB_ANSWER', 'GitHub answered something else than a SHA', { hint: 'check the base URL', retry: 'next run' });
  return text as Sha;
}

function noCommit(what: string, hint: string): SerinError {
  return new SerinError('E_NO_COMMIT', `there is no commit ${what}`, { hint, retry: 'never' });
}

/** The files at a commit. `whole` is false when the tree was too large for one answer: then only what lies in the folders was walked. */
async function list(
  client: Client,
  commit: Sha,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<{ entries: readonly Entry[]; whole: boolean }> {
  const all = await tree(client, commit, true, signal);
  if (!all.truncated) return { entries: all.files, whole: true };
  return { entries: await walk(client, commit, '', folders, signal), whole: false };
}

/** One level at a time, and only towards the folders. A sub-tree that lies inside them is asked for whole first. */
async function walk(
  client: Client,
  sha: string,
  prefix: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const level = await tree(client, sha, false, signal);
  if (level.truncated) throw tooLarge(client, prefix);
  const below = await inParallel(level.folders, async (folder) => {
    const path = `${prefix}${folder.path}`;
    if (!within(path, folders)) return towards(path, folders) ? walk(client, folder.sha, `${path}/`, folders, signal) : [];
    const whole = await tree(client, folder.sha, true, signal);
    if (whole.truncated) return walk(client, folder.sha, `${path}/`, folders, signal);
    return whole.files.map((file) => ({ ...file, path: `${path}/${file.path}` }));
  });
  return [...level.files.map((file) => ({ ...file, path: `${prefix}${file.path}` })), ...below.flat()];
}

function towards(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => within(folder.replace(/^\.?\/+/, ''), [path]));
}

function tooLarge(client: Client, prefix: string): SerinError {
  return new SerinError(
    'E_TREE_TOO_LARGE',
    `${client.name}: the folder ${prefix === '' ? '.' : prefix} has more entries than GitHub lists`,
    {
      hint: 'split the folder, or read the repository with git',
      retry: 'never',
    },
  );
}

interface Tree {
  readonly files: readonly Entry[];
  readonly folders: readonly Entry[];
  readonly truncated: boolean;
}

/** @see https://docs.github.com/rest/git/trees#get-a-tree - cut at 100,000 entries or 7 MB, and says so */
async function tree({ octokit, owner, repo, name }: Client, sha: string, recursive: boolean, signal: AbortSignal): Promise<Tree> {
  try {
    const { data } = await octokit.rest.git.getTree({
      owner,
      repo,
      tree_sha: sha,
      ...(recursive ? { recursive: '1' } : {}),
      request: { signal },
    });
    const of = (wanted: (entry: { mode?: string; type?: string }) => boolean) =>
      data.tree.filter(wanted).map(({ path, sha }) => ({ path, sha }) as Entry);
    return { files: of((e) => isFileMode(e.mode ?? '')), folders: of((e) => e.type === 'tree'), truncated: data.truncated };
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 422)
      throw noCommit(`${sha} in ${name}`, 'was it force-pushed away, or is the token not allowed to read contents?');
    throw explain(error, `list the files of ${name} at ${sha}`, signal);
  }
}

async function readBlob(
  { octokit, owner, repo, name }: Client,
  blobs: BlobCache,
  { path, sha }: Entry,
  signal: AbortSignal,
): Promise<Buffer> {
  const kept = await blobs.get(sha);
  if (kept !== undefined) return kept;
  try {
    const { data } = await octokit.rest.git.getBlob({ owner, repo, file_sha: sha, request: { signal } });
    const bytes = Buffer.from(data.content, data.encoding === 'base64' ? 'base64' : 'utf8');
    if (blobSha(bytes) !== sha)
      throw new SerinError('E_GITHUB_ANSWER', `${path} arrived damaged: it is not the blob ${sha}`, {
        hint: 'the next run reads it again',
        retry: 'next run',
      });
    await blobs.put(sha, bytes);
    return bytes;
  } catch (error) {
    throw explain(error, `read ${path} of ${name}`, signal);
  }
}

/** Results in the order of the items; not more than {@link concurrency} at once; the first failure ends it. */
async function inParallel<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [i, item] of queue) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
