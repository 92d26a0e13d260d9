import type { Sha } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import type { Proposal, PullRequest } from '../ports.ts';
import type { Client } from './client.ts';
import { explain, saidBy, statusOf } from './errors.ts';
import { findByBranch, prefix, pullRequest } from './pulls.ts';

/** GitHub refuses a body of more than 65,536 characters. */
const bodyLimit = 65_536;

/**
 * Makes branch, commit and pull request, each only where it is missing, so that every crash in between is carried on from.
 * Creating the ref is the mutex: of two looks at once one is told that it exists, and takes it over as its own.
 * @throws SerinError E_CONFLICT when somebody else's branch has that name; E_NOTHING_TO_PROPOSE when the base has it all already
 */
export async function propose(client: Client, base: string, proposal: Proposal, signal: AbortSignal): Promise<PullRequest> {
  if (!proposal.branch.startsWith(prefix))
    throw new SerinError('E_NOT_OURS', `${proposal.branch} is no branch of ours`, { hint: `ours start with ${prefix}`, retry: 'never' });
  const before = await readBranch(client, proposal.branch, signal);
  const outcome = before === undefined ? await makeBranch(client, proposal, signal) : 'there already';
  if (outcome === 'there already') {
    const head = before ?? (await readBranch(client, proposal.branch, signal));
    if (head !== undefined) await mustBeOurs(client, proposal, head, signal);
    const found = await findByBranch(client, base, proposal.branch, signal);
    if (found !== undefined) return found;
  }
  return open(client, base, proposal, signal);
}

async function readBranch({ octokit, owner, repo, name }: Client, branch: string, signal: AbortSignal): Promise<Sha | undefined> {
  try {
    const { data } = await octokit.rest.git.getRef({ owner, repo, ref: `heads/${branch}`, request: { signal } });
    return data.object.sha as Sha;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw explain(error, `read branch ${branch} of ${name}`, signal);
  }
}

async function makeBranch(client: Client, proposal: Proposal, signal: AbortSignal): Promise<'made' | 'there already'> {
  const { octokit, owner, repo, name } = client;
  const sha = await makeCommit(client, proposal, signal);
  try {
    await octokit.rest.git.createRef({ owner, repo, ref: `refs/heads/${proposal.branch}`, sha, request: { signal } });
    return 'made';
  } catch (error) {
    if (statusOf(error) === 422 && /already exists/i.test(saidBy(error))) return 'there already';
    throw explain(error, `make branch ${proposal.branch} in ${name}`, signal);
  }
}

/** The commit has neither author nor committer, so that GitHub signs it for an App. Its parent is the head that this look has read. */
async function makeCommit(client: Client, { onto, files, message, branch }: Proposal, signal: AbortSignal): Promise<Sha> {
  const { octokit, owner, repo, name } = client;
  try {
    const base = await readCommit(client, onto, signal);
    const tree = await writeTree(client, base.tree, files, signal);
    if (tree === base.tree) throw nothingToPropose(branch);
    const { data } = await octokit.rest.git.createCommit({ owner, repo, message, tree, parents: [onto], request: { signal } });
    return data.sha as Sha;
  } catch (error) {
    throw explain(error, `commit to ${branch} in ${name}`, signal);
  }
}

function nothingToPropose(branch: string): SerinError {
  return new SerinError('E_NOTHING_TO_PROPOSE', `${branch}: the base branch has these files already`, {
    hint: 'the next look sees them',
    retry: 'next run',
  });
}

async function readCommit(
  { octokit, owner, repo }: Client,
  sha: Sha,
  signal: AbortSignal,
): Promise<{ tree: string; message: string; parents: readonly string[] }> {
  const { data } = await octokit.rest.git.getCommit({ owner, repo, commit_sha: sha, request: { signal } });
  return { tree: data.tree.sha, message: data.message, parents: data.parents.map((parent) => parent.sha) };
}

async function writeTree({ octokit, owner, repo }: Client, base: string, files: Proposal['files'], signal: AbortSignal): Promise<string> {
  const tree = Object.entries(files).map(([path, content]) => ({
    path,
    mode: '100644' as const,
    type: 'blob' as const,
    ...(content === null ? { sha: null } : { content }),
  }));
  const { data } = await octokit.rest.git.createTree({ owner, repo, base_tree: base, tree, request: { signal } });
  return data.sha;
}

/** A branch of this name is ours when its commit carries the proposal's own trailers, or holds exactly its files. */
async function mustBeOurs(client: Client, proposal: Proposal, head: Sha, signal: AbortSignal): Promise<void> {
  try {
    const commit = await readCommit(client, head, signal);
    const [wanted, there] = [trailers(proposal.message), trailers(commit.message)];
    if (wanted !== '' && wanted === there) return;
    const base = await readCommit(client, proposal.onto, signal);
    if ((await writeTree(client, base.tree, proposal.files, signal)) === commit.tree) return;
  } catch (error) {
    throw explain(error, `look at branch ${proposal.branch} in ${client.name}`, signal);
  }
  throw new SerinError('E_CONFLICT', `branch ${proposal.branch} of ${client.name} holds somebody else's commit ${head}`, {
    hint: 'delete the branch, or leave it and serin leaves it too',
    retry: 'next run',
  });
}

/** The `Key: value` lines of the last paragraph, sorted. https://git-scm.com/docs/git-interpret-trailers */
function trailers(message: string): string {
  const last =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  const lines = last.split('\n').filter((line) => /^[A-Za-z0-9-]+: /.test(line));
  return lines.sort().join('\n');
}

async function open(client: Client, base: string, { branch, title, body }: Proposal, signal: AbortSignal): Promise<PullRequest> {
  const { octokit, owner, repo, name } = client;
  try {
    const { data } = await octokit.rest.pulls.create({
      owner,
      repo,
      head: branch,
      base,
      title,
      body: body.slice(0, bodyLimit),
      request: { signal },
    });
    return pullRequest(data);
  } catch (error) {
    if (statusOf(error) === 422 && /pull request already exists/i.test(saidBy(error))) {
      const found = await findByBranch(client, base, branch, signal);
      if (found !== undefined) return found;
    }
    if (statusOf(error) === 422 && /no commits between/i.test(saidBy(error))) throw nothingToPropose(branch);
    throw explain(error, `open the pull request of ${branch} in ${name}`, signal);
  }
}
