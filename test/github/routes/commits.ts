import type { Change } from '../git.ts';
import {
  created,
  type Handler,
  type Host,
  invalid,
  notFound,
  now,
  ok,
  page,
  refuse,
  repository,
  repositoryUrl,
  type StoredStatus,
  user,
} from '../host.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** GET commits/{ref}. With the media type sha the answer is the SHA itself, and so is its ETag. */
const getCommit: Handler = async (host, { parameters, accept }) => {
  const ref = parameters['ref'] as string;
  const sha = await host.git.resolve(ref, 'commit');
  if (sha === undefined) return refuse(422, `No commit found for SHA: ${ref}`);
  if (/application\/vnd\.github(\.v3)?\.sha/.test(accept)) {
    return { status: 200, text: sha, headers: { etag: `"${sha}"`, 'content-type': 'application/vnd.github.sha; charset=utf-8' } };
  }
  return ok(await commitBody(host, sha));
};

async function commitBody(host: Host, sha: string): Promise<object> {
  const url = repositoryUrl(host);
  const { tree, parents, author, committer, message } = await host.git.commit(sha);
  const changes = await host.git.changes(parents[0] ?? emptyTree, sha);
  const sum = (of: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[of], 0);
  return {
    sha,
    url: `${url}/commits/${sha}`,
    commit: {
      author,
      committer,
      message,
      comment_count: 0,
      tree: { sha: tree, url: `${url}/git/trees/${tree}` },
      url: `${url}/git/commits/${sha}`,
    },
    author: user(host, author.name),
    committer: user(host, committer.name),
    parents: parents.map((parent) => ({ sha: parent, url: `${url}/commits/${parent}` })),
    stats: { additions: sum('additions'), deletions: sum('deletions'), total: sum('additions') + sum('deletions') },
    files: changes.map((change) => fileBody(host, change)),
  };
}

export function fileBody(host: Host, { path, status, sha, additions, deletions, patch }: Change): object {
  const url = `${repositoryUrl(host)}/contents/${path}`;
  return { sha, filename: path, status, additions, deletions, changes: additions + deletions, patch, contents_url: url };
}

const getContent: Handler = async (host, { parameters, query }) => {
  const ref = query['ref'] ?? host.defaultBranch;
  const path = (parameters['path'] as string).replace(/\/$/, '');
  const commit = await host.git.resolve(ref, 'commit');
  if (commit === undefined) return refuse(404, `No commit found for the ref ${ref}`);
  const sha = await host.git.at(commit, path);
  if (sha === undefined) return notFound();
  if ((await host.git.type(sha)) === 'tree') {
    const entries = await host.git.tree(sha, false);
    return ok(
      entries.map((e) =>
        contentBody(host, `${path}/${e.path}`, ref, { type: e.type === 'tree' ? 'dir' : 'file', sha: e.sha, size: e.size ?? 0 }),
      ),
    );
  }
  const content = await host.git.blob(sha);
  return ok({
    ...contentBody(host, path, ref, { type: 'file', sha, size: content.length }),
    encoding: 'base64',
    content: content.toString('base64'),
  });
};

function contentBody(host: Host, path: string, ref: string, entry: object): object {
  const url = `${repositoryUrl(host)}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  return { ...entry, name: path.split('/').at(-1), path, url, _links: { self: url, git: url, html: url } };
}

const descriptionLimit = 140;
/** One commit takes this many statuses of one context. */
const statusLimit = 1000;

const createStatus: Handler = async (host, { parameters, body, login }) => {
  const sha = parameters['sha'] as string;
  if ((await host.git.type(sha)) !== 'commit') return refuse(422, `No commit found for SHA: ${sha}`);
  const { state, context = 'default', description = null, target_url: targetUrl = null } = body;
  if (description !== null && [...description].length > descriptionLimit)
    return invalid('Status', 'description', `description is too long (maximum is ${descriptionLimit} characters)`);
  const { statuses } = host.state.all;
  if (statuses.filter((s) => s.sha === sha && s.context === context).length >= statusLimit)
    return invalid('Status', undefined, 'This SHA and context has reached the maximum number of statuses.');
  const status = { id: host.state.next(), sha, login, state, context, description, targetUrl, at: now() };
  statuses.push(status);
  host.state.save();
  return created(statusBody(host, status));
};

function statusBody(host: Host, { id, sha, login, state, context, description, targetUrl, at }: StoredStatus): object {
  const url = `${repositoryUrl(host)}/statuses/${sha}`;
  return { id, url, state, context, description, target_url: targetUrl, created_at: at, updated_at: at, creator: user(host, login) };
}

/** The newest status of each context. */
export function latestStatuses(host: Host, sha: string): readonly StoredStatus[] {
  const byContext = new Map<string, StoredStatus>();
  for (const status of host.state.all.statuses) if (status.sha === sha) byContext.set(status.context, status);
  return [...byContext.values()];
}

const combinedStatus: Handler = async (host, call) => {
  const sha = await host.git.resolve(call.parameters['ref'] as string, 'commit');
  if (sha === undefined) return notFound();
  const latest = latestStatuses(host, sha);
  const some = (...states: string[]) => latest.some((s) => states.includes(s.state));
  const state = some('failure', 'error') ? 'failure' : latest.length === 0 || some('pending') ? 'pending' : 'success';
  const url = repositoryUrl(host);
  const { body, headers } = page(host, call, `/commits/${sha}/status`, latest);
  const statuses = (body as StoredStatus[]).map((status) => {
    const { creator: _, ...simple } = statusBody(host, status) as { creator: object };
    return simple;
  });
  return {
    status: 200,
    body: { state, sha, total_count: latest.length, statuses, repository: minimal(host), commit_url: `${url}/commits/${sha}`, url },
    headers: headers ?? {},
  };
};

/** A repository as lists show it: what only the full one has is left out. */
function minimal(host: Host): object {
  const full = repository(host) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(full).filter(([key]) => !key.startsWith('allow_')));
}

const listStatuses: Handler = async (host, call) => {
  const sha = await host.git.resolve(call.parameters['ref'] as string, 'commit');
  if (sha === undefined) return notFound();
  const all = host.state.all.statuses.filter((s) => s.sha === sha).reverse();
  return page(
    host,
    call,
    `/commits/${sha}/statuses`,
    all.map((s) => statusBody(host, s)),
  );
};

export const commits: Readonly<Record<string, Handler>> = {
  'repos/get-commit': getCommit,
  'repos/get-content': getContent,
  'repos/create-commit-status': createStatus,
  'repos/get-combined-status-for-ref': combinedStatus,
  'repos/list-commit-statuses-for-ref': listStatuses,
};
