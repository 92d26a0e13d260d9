import type { Sha } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import type { Client } from './client.ts';
import { explain, saidBy, statusOf } from './errors.ts';

type Method = 'merge' | 'squash' | 'rebase';

/**
 * Merges by the first method that the repository allows, asked for once.
 * @see https://docs.github.com/rest/pulls/pulls#merge-a-pull-request - 405 when it cannot be merged now, 409 when the head moved
 */
export function merger(client: Client): (number: number, head: Sha, signal: AbortSignal) => Promise<boolean> {
  let method: Method | undefined;
  return async (number, head, signal) => {
    const { octokit, owner, repo, name } = client;
    try {
      method ??= await allowedMethod(client, signal);
      await octokit.rest.pulls.merge({ owner, repo, pull_number: number, sha: head, merge_method: method, request: { signal } });
      return true;
    } catch (error) {
      if (statusOf(error) === 409) throw headMoved(number, head, saidBy(error));
      // 405 says many things: a missing review or check, a base that moved, a merge queue, or that it is merged already.
      if (statusOf(error) === 405) return isMerged(client, number, signal);
      throw explain(error, `merge pull request ${number} of ${name}`, signal);
    }
  };
}

function headMoved(number: number, head: Sha, said: string): SerinError {
  return new SerinError('E_CONFLICT', `pull request ${number} is no longer at ${head}: ${said}`, {
    hint: 'somebody pushed to it; the next look judges what is there',
    retry: 'next run',
  });
}

async function allowedMethod({ octokit, owner, repo }: Client, signal: AbortSignal): Promise<Method> {
  const { data } = await octokit.rest.repos.get({ owner, repo, request: { signal } });
  if (data.allow_merge_commit !== false) return 'merge';
  return data.allow_squash_merge !== false ? 'squash' : 'rebase';
}

async function isMerged({ octokit, owner, repo, name }: Client, number: number, signal: AbortSignal): Promise<boolean> {
  try {
    const { data } = await octokit.rest.pulls.get({ owner, repo, pull_number: number, request: { signal } });
    return data.merged;
  } catch (error) {
    throw explain(error, `read pull request ${number} of ${name}`, signal);
  }
}
