import {
  type Answer,
  type Call,
  created,
  type Handler,
  type Host,
  invalid,
  notFound,
  now,
  ok,
  type Pull,
  page,
  refuse,
  repository,
  repositoryUrl,
  signatureOf,
  user,
} from '../host.ts';
import { fileBody, latestStatuses } from './commits.ts';

/**
 * Lets the pull requests follow their branches: a push moves the head, a deleted branch closes.
 * People push with git too, so this runs before every answer about pull requests.
 */
export async function followBranches(host: Host): Promise<void> {
  const refs = await host.git.refs('refs/heads/');
  let changed = false;
  for (const pull of host.state.all.pulls) {
    if (pull.state === 'closed' || pull.fork !== undefined) continue;
    const sha = refs.get(`refs/heads/${pull.branch}`);
    if (sha === pull.headSha) continue;
    if (sha === undefined) close(pull);
    else Object.assign(pull, { headSha: sha, updatedAt: now() });
    changed = true;
  }
  if (changed) host.state.save();
}

function close(pull: Pull): void {
  Object.assign(pull, { state: 'closed', closedAt: now(), updatedAt: now() });
}

async function findPull(host: Host, { parameters }: Call): Promise<Pull | undefined> {
  await followBranches(host);
  return host.state.all.pulls.find((p) => p.number === Number(parameters['pull_number'] ?? parameters['issue_number']));
}

/** A pull request as lists show it. */
function simple(host: Host, pull: Pull): Record<string, unknown> {
  const url = `${repositoryUrl(host)}/pulls/${pull.number}`;
  const html = `${host.url}/${host.owner}/${host.name}/pull/${pull.number}`;
  const headOwner = pull.fork ?? host.owner;
  const link = { href: url };
  return {
    id: 1000 + pull.number,
    number: pull.number,
    url,
    html_url: html,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    user: user(host, pull.login),
    labels: (host.state.all.labels[pull.number] ?? []).map((name) => label(host, name)),
    draft: pull.draft,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeSha,
    head: {
      label: `${headOwner}:${pull.branch}`,
      ref: pull.branch,
      sha: pull.headSha,
      user: user(host, headOwner),
      repo: plain(host, headOwner),
    },
    base: { label: `${host.owner}:${pull.base}`, ref: pull.base, sha: pull.baseSha, user: user(host, host.owner), repo: plain(host) },
    _links: {
      comments: link,
      commits: link,
      statuses: link,
      html: { href: html },
      issue: link,
      review_comments: link,
      review_comment: link,
      self: link,
    },
    author_association: 'COLLABORATOR',
    auto_merge: null,
  };
}

function plain(host: Host, owner = host.owner): object {
  return repository(host, owner);
}

export function label(host: Host, name: string): object {
  return { name, url: `${repositoryUrl(host)}/labels/${encodeURIComponent(name)}`, color: 'ededed', description: null };
}

async function full(host: Host, pull: Pull): Promise<object> {
  const changes = await host.git.changes(await host.git.mergeBase(pull.baseSha, pull.headSha), pull.headSha);
  const sum = (of: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[of], 0);
  const mergeable = await mergeability(host, pull);
  return {
    ...simple(host, pull),
    merged: pull.mergedAt !== null,
    merged_by: pull.mergedBy === null ? null : user(host, pull.mergedBy),
    mergeable,
    mergeable_state: mergeable === null ? 'unknown' : mergeable ? 'clean' : 'dirty',
    comments: host.state.all.comments.filter((c) => c.number === pull.number).length,
    commits: await host.git.commitsBetween(pull.baseSha, pull.headSha),
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: changes.length,
  };
}

async function mergeability(host: Host, pull: Pull): Promise<boolean | null> {
  if (pull.state === 'closed') return null;
  const base = await host.git.resolve(`heads/${pull.base}`, 'commit');
  const pair = `${base} ${pull.headSha}`;
  if (base === undefined || pull.mergeabilityOf !== pair) {
    pull.mergeabilityOf = pair;
    return null;
  }
  return (await host.git.mergeTree(base, pull.headSha)) !== undefined;
}

const list: Handler = async (host, call) => {
  await followBranches(host);
  const { state = 'open', head, base, sort = 'created', direction } = call.query;
  const descending = (direction ?? (sort === 'created' ? 'desc' : 'asc')) === 'desc';
  const by = (pull: Pull) => (sort === 'updated' ? pull.updatedAt : pull.createdAt);
  const found = host.state.all.pulls
    .filter((p) => state === 'all' || p.state === state)
    .filter((p) => base === undefined || p.base === base)
    // Without `owner:` GitHub ignores the filter and returns everybody's pull requests.
    .filter((p) => !head?.includes(':') || `${p.fork ?? host.owner}:${p.branch}` === head)
    .sort((a, b) => by(a).localeCompare(by(b)) || a.number - b.number);
  return page(
    host,
    call,
    '/pulls',
    (descending ? found.reverse() : found).map((p) => simple(host, p)),
  );
};

const create: Handler = async (host, { body, login }) => {
  const [owner, branch] = body.head.includes(':') ? body.head.split(':', 2) : [host.owner, body.head];
  const [head, base] = await Promise.all([host.git.resolve(`heads/${branch}`, 'commit'), host.git.resolve(`heads/${body.base}`, 'commit')]);
  if (body.title === undefined) return invalid('PullRequest', 'title', 'title is missing');
  if (base === undefined) return invalid('PullRequest', 'base');
  if (head === undefined) return invalid('PullRequest', 'head');
  if ((body.body?.length ?? 0) > 65_536) return invalid('PullRequest', 'body', 'body is too long (maximum is 65536 characters)');
  if ((await host.git.commitsBetween(base, head)) === 0)
    return invalid('PullRequest', undefined, `No commits between ${body.base} and ${branch}`);
  const same = (p: Pull) => p.state === 'open' && p.branch === branch && p.base === body.base && (p.fork ?? host.owner) === owner;
  if (host.state.all.pulls.some(same)) return invalid('PullRequest', undefined, `A pull request already exists for ${owner}:${branch}.`);
  const pull = opened(host, {
    branch,
    headSha: head,
    base: body.base,
    baseSha: base,
    title: body.title,
    body: body.body ?? null,
    draft: body.draft ?? false,
    login,
    ...(owner === host.owner ? {} : { fork: owner }),
  });
  return created(await full(host, pull));
};

function opened(
  host: Host,
  given: Pick<Pull, 'branch' | 'headSha' | 'base' | 'baseSha' | 'title' | 'body' | 'draft' | 'login'> & { fork?: string },
): Pull {
  const at = now();
  const pull: Pull = {
    ...given,
    number: host.state.nextPull(),
    state: 'open',
    mergedAt: null,
    mergedBy: null,
    mergeSha: null,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
  };
  host.state.all.pulls.push(pull);
  host.state.save();
  return pull;
}

const get: Handler = async (host, call) => {
  const pull = await findPull(host, call);
  return pull === undefined ? notFound() : ok(await full(host, pull));
};

const update: Handler = async (host, call) => {
  const pull = await findPull(host, call);
  if (pull === undefined) return notFound();
  const { title, body, state, base } = call.body;
  if (state === 'open' && pull.state === 'closed') {
    const reopened = pull.mergedAt === null && (await host.git.resolve(`heads/${pull.branch}`, 'commit')) !== undefined;
    if (!reopened) return invalid('PullRequest', 'state', 'state cannot be changed. The branch was deleted or merged.');
    Object.assign(pull, { state: 'open', closedAt: null });
  }
  if (state === 'closed' && pull.state === 'open') close(pull);
  Object.assign(pull, { title: title ?? pull.title, body: body ?? pull.body, base: base ?? pull.base, updatedAt: now() });
  host.state.save();
  return ok(await full(host, pull));
};

const merge: Handler = async (host, call) => {
  const pull = await findPull(host, call);
  if (pull === undefined) return notFound();
  const { sha, merge_method: method = 'merge', commit_title, commit_message } = call.body ?? {};
  if (pull.state === 'closed') return refuse(405, 'Pull Request is not mergeable');
  if (sha !== undefined && sha !== pull.headSha) return refuse(409, 'Head branch was modified. Review and try the merge again.');
  const refused = mergeRefusal(host, pull, method);
  if (refused !== undefined) return refused;
  const base = await host.git.resolve(`heads/${pull.base}`, 'commit');
  const tree = base === undefined ? undefined : await host.git.mergeTree(base, pull.headSha);
  if (base === undefined || tree === undefined) return refuse(405, 'Pull Request is not mergeable');
  const by = signatureOf(call.login);
  const title =
    commit_title ??
    (method === 'merge' ? `Merge pull request #${pull.number} from ${host.owner}/${pull.branch}` : `${pull.title} (#${pull.number})`);
  const message = `${title}\n\n${commit_message ?? (method === 'merge' ? pull.title : (await host.git.commit(pull.headSha)).message)}`;
  const commit = await host.git.writeCommit({
    tree,
    parents: method === 'merge' ? [base, pull.headSha] : [base],
    author: by,
    committer: by,
    message,
  });
  try {
    await host.git.updateRef(`refs/heads/${pull.base}`, commit, base);
  } catch {
    return refuse(405, 'Base branch was modified. Review and try the merge again.');
  }
  close(pull);
  Object.assign(pull, { mergedAt: now(), mergedBy: call.login, mergeSha: commit });
  host.state.save();
  return ok({ sha: commit, merged: true, message: 'Pull Request successfully merged' });
};

function mergeRefusal(host: Host, pull: Pull, method: string): Answer | undefined {
  if (pull.draft) return refuse(405, 'Pull Request is still a draft');
  if (!host.allowedMerges.includes(method as 'merge'))
    return refuse(
      405,
      `${{ merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' }[method]} are not allowed on this repository.`,
    );
  const latest = latestStatuses(host, pull.headSha);
  for (const context of host.requiredContexts) {
    const state = latest.find((s) => s.context === context)?.state;
    if (state === undefined) return refuse(405, `Required status check "${context}" is expected.`);
    if (state !== 'success') return refuse(405, `Required status check "${context}" is ${state === 'pending' ? 'pending' : 'failing'}.`);
  }
  return undefined;
}

const files: Handler = async (host, call) => {
  const pull = await findPull(host, call);
  if (pull === undefined) return notFound();
  const changes = await host.git.changes(await host.git.mergeBase(pull.baseSha, pull.headSha), pull.headSha);
  return page(
    host,
    call,
    `/pulls/${pull.number}/files`,
    changes.map((change) => fileBody(host, change)),
  );
};

export const pulls: Readonly<Record<string, Handler>> = {
  'pulls/list': list,
  'pulls/create': create,
  'pulls/get': get,
  'pulls/update': update,
  'pulls/merge': merge,
  'pulls/list-files': files,
};
