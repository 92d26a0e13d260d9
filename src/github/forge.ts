import type { Sha } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import type { Forge, Status } from '../ports.ts';
import type { Client } from './client.ts';
import { explain, saidBy, statusOf } from './errors.ts';
import { merger } from './merge.ts';
import { propose } from './propose.ts';
import { prefix, pullRequestReader } from './pulls.ts';

/** GitHub refuses a longer description of a status. https://docs.github.com/rest/commits/statuses */
const descriptionLimit = 140;

/** Pull requests, statuses and branches of one repository on GitHub. */
export function githubForge(client: Client, base: string): Forge {
  return {
    pullRequests: pullRequestReader(client, base),
    propose: (proposal, signal) => propose(client, base, proposal, signal),
    close: (number, comment, signal) => close(client, number, comment, signal),
    statuses: (commit, signal) => statuses(client, commit, signal),
    setStatus: (commit, status, signal) => setStatus(client, commit, status, signal),
    merge: merger(client),
    deleteBranch: (branch, signal) => deleteBranch(client, branch, signal),
    requests: () => ({ ...client.requests }),
  };
}

/** Says why, then closes. What has been said or closed already is not said or closed again. */
async function close({ octokit, owner, repo, name }: Client, number: number, comment: string, signal: AbortSignal): Promise<void> {
  const issue = { owner, repo, issue_number: number, request: { signal } };
  try {
    const { data: pull } = await octokit.rest.pulls.get({ owner, repo, pull_number: number, request: { signal } });
    if (pull.state === 'closed') return;
    const { data: comments } = await octokit.rest.issues.listComments({ ...issue, per_page: 100 });
    if (!comments.some(({ body }) => body === comment)) await octokit.rest.issues.createComment({ ...issue, body: comment });
    await octokit.rest.pulls.update({ owner, repo, pull_number: number, state: 'closed', request: { signal } });
  } catch (error) {
    throw explain(error, `close pull request ${number} of ${name}`, signal);
  }
}

async function statuses({ octokit, owner, repo, name }: Client, commit: Sha, signal: AbortSignal): Promise<readonly Status[]> {
  try {
    const { data } = await octokit.rest.repos.getCombinedStatusForRef({ owner, repo, ref: commit, per_page: 100, request: { signal } });
    return data.statuses.map(({ context, state, description }) => ({
      context,
      state: state === 'error' ? 'failure' : (state as Status['state']),
      description: description ?? '',
    }));
  } catch (error) {
    throw explain(error, `read the statuses of ${commit} in ${name}`, signal);
  }
}

async function setStatus(
  { octokit, owner, repo, name }: Client,
  commit: Sha,
  { context, state, description }: Status,
  signal: AbortSignal,
): Promise<void> {
  try {
    await octokit.rest.repos.createCommitStatus({
      owner,
      repo,
      sha: commit,
      context,
      state,
      description: shortened(description),
      request: { signal },
    });
  } catch (error) {
    throw explain(error, `set the status ${context} of ${commit} in ${name}`, signal);
  }
}

/** Cut between characters, never inside one. */
export function shortened(description: string): string {
  const characters = [...description];
  return characters.length <= descriptionLimit ? description : `${characters.slice(0, descriptionLimit - 1).join('')}…`;
}

async function deleteBranch({ octokit, owner, repo, name }: Client, branch: string, signal: AbortSignal): Promise<void> {
  if (!branch.startsWith(prefix))
    throw new SerinError('E_NOT_OURS', `${branch} is no branch of ours`, { hint: `ours start with ${prefix}`, retry: 'never' });
  try {
    await octokit.rest.git.deleteRef({ owner, repo, ref: `heads/${branch}`, request: { signal } });
  } catch (error) {
    const gone = statusOf(error) === 404 || (statusOf(error) === 422 && /does not exist/i.test(saidBy(error)));
    if (!gone) throw explain(error, `delete branch ${branch} of ${name}`, signal);
  }
}
