import { type Call, created, type Handler, type Host, invalid, notFound, now, ok, type Pull, page } from '../host.ts';
import { full, simple } from '../pull-body.ts';
import { fileBody } from './commits.ts';

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

export function close(pull: Pull): void {
  Object.assign(pull, { state: 'closed', closedAt: now(), updatedAt: now() });
}

export async function findPull(host: Host, { parameters }: Call): Promise<Pull | undefined> {
  await followBranches(host);
  return host.state.all.pulls.find((p) => p.number === Number(parameters['pull_number'] ?? parameters['issue_number']));
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
  'pulls/list-files': files,
};
