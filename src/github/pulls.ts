import type { Sha } from '../desired/types.ts';
import type { PullRequest } from '../ports.ts';
import type { Client } from './client.ts';
import { explain, statusOf } from './errors.ts';

/** Branches of ours start with this, and nobody else's should. */
export const prefix = 'serin/';
/** The most that GitHub puts on one page. */
const pageSize = 100;
/** Pages of open pull requests read at most: 1,000 open ones are a mistake of another kind. */
const pagesRead = 10;

/** What we read of GitHub's pull request. A head repository is null once a fork has been deleted, though GitHub's description denies it. */
export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly html_url: string;
  readonly state: string;
  readonly merged_at: string | null;
  readonly head: { readonly ref: string; readonly sha: string; readonly repo: { readonly id: number } | null };
  readonly base: { readonly ref: string; readonly repo: { readonly id: number } };
}

export function pullRequest({ number, title, html_url, state, merged_at, head }: Pull): PullRequest {
  return {
    number,
    title,
    url: html_url,
    branch: head.ref,
    headSha: head.sha as Sha,
    state: merged_at !== null ? 'merged' : state === 'open' ? 'open' : 'closed',
  };
}

/** A fork may copy our branch names, so the branch counts only in the repository itself. */
export function isOurs({ head, base }: Pull, branch: string): boolean {
  return head.ref.startsWith(prefix) && head.repo?.id === base.repo.id && base.ref === branch;
}

/** Pages as last read, by query: GitHub answers 304 for nothing while they stand. */
type Pages = Map<string, { readonly etag: string; readonly pulls: readonly Pull[] }>;

/**
 * Reads our pull requests: those touched lately, and every open one however old. Listed, never searched: the search index lags behind.
 * @see https://docs.github.com/rest/pulls/pulls#list-pull-requests
 */
export function pullRequestReader(client: Client, base: string): (signal: AbortSignal) => Promise<readonly PullRequest[]> {
  const pages: Pages = new Map();
  const read = (state: 'all' | 'open', page: number, signal: AbortSignal) =>
    readPage(client, pages, { state, base, sort: 'updated', direction: 'desc', per_page: pageSize, page }, signal);
  return async (signal) => {
    const found = [...(await read('all', 1, signal))];
    if (found.length === pageSize) {
      for (let page = 1; page <= pagesRead; page++) {
        const open = await read('open', page, signal);
        found.push(...open);
        if (open.length < pageSize) break;
      }
    }
    const byNumber = new Map(found.filter((pull) => isOurs(pull, base)).map((pull) => [pull.number, pullRequest(pull)]));
    return [...byNumber.values()];
  };
}

interface Query {
  readonly state: 'all' | 'open';
  readonly base: string;
  readonly sort: 'updated';
  readonly direction: 'desc';
  readonly per_page: number;
  readonly page: number;
}

async function readPage({ octokit, owner, repo, name }: Client, pages: Pages, query: Query, signal: AbortSignal): Promise<readonly Pull[]> {
  const key = `${query.state} ${query.page}`;
  const known = pages.get(key);
  const headers = known === undefined ? {} : { 'if-none-match': known.etag };
  try {
    const { data, headers: answered } = await octokit.rest.pulls.list({ owner, repo, ...query, headers, request: { signal } });
    if (answered.etag !== undefined) pages.set(key, { etag: answered.etag, pulls: data });
    return data;
  } catch (error) {
    if (statusOf(error) === 304 && known !== undefined) return known.pulls;
    throw explain(error, `list the pull requests of ${name}`, signal);
  }
}

/** The pull request of one branch of ours, the newest first, whatever became of it. */
export async function findByBranch(
  { octokit, owner, repo, name }: Client,
  base: string,
  branch: string,
  signal: AbortSignal,
): Promise<PullRequest | undefined> {
  try {
    // `head` needs the owner: without it GitHub ignores the filter and returns everybody's.
    const { data } = await octokit.rest.pulls.list({
      owner,
      repo,
      head: `${owner}:${branch}`,
      base,
      state: 'all',
      per_page: pageSize,
      request: { signal },
    });
    const ours = (data as readonly Pull[]).filter((pull) => pull.head.ref === branch && isOurs(pull, base));
    const found = ours.find((pull) => pull.state === 'open') ?? ours[0];
    return found === undefined ? undefined : pullRequest(found);
  } catch (error) {
    throw explain(error, `find the pull request of ${branch} in ${name}`, signal);
  }
}
