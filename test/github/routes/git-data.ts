import { type Answer, type Call, created, type Handler, type Host, notFound, ok, refuse, repositoryUrl, signatureOf } from '../host.ts';
import { GitError } from '../run-git.ts';
import { followBranches } from './pulls.ts';

const nobody = '0'.repeat(40);

function refBody(host: Host, ref: string, sha: string): object {
  const url = repositoryUrl(host);
  return { ref, url: `${url}/git/${ref}`, object: { type: 'commit', sha, url: `${url}/git/commits/${sha}` } };
}

const getRef: Handler = async (host, { parameters }) => {
  const ref = `refs/${parameters['ref']}`;
  const sha = (await host.git.refs(ref)).get(ref);
  return sha === undefined ? notFound() : ok(refBody(host, ref, sha));
};

const matchingRefs: Handler = async (host, { parameters }) => {
  const refs = await host.git.refs(`refs/${parameters['ref']}`);
  return ok([...refs].map(([ref, sha]) => refBody(host, ref, sha)));
};

const createRef: Handler = async (host, { body }) => {
  if (!/^refs\/(heads|tags)\/[^/]/.test(body.ref)) return refuse(422, "Reference name must start with 'refs/'.");
  if ((await host.git.type(body.sha)) !== 'commit') return refuse(422, 'Object does not exist');
  try {
    await host.git.updateRef(body.ref, body.sha, nobody);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return refuse(422, (await host.git.refs(body.ref)).has(body.ref) ? 'Reference already exists' : 'Reference update failed');
  }
  await followBranches(host);
  return created(refBody(host, body.ref, body.sha));
};

const updateRef: Handler = async (host, { parameters, body }) => {
  const ref = `refs/${parameters['ref']}`;
  const from = (await host.git.refs(ref)).get(ref);
  if (from === undefined) return refuse(422, 'Reference does not exist');
  if ((await host.git.type(body.sha)) !== 'commit') return refuse(422, 'Object does not exist');
  if (!body.force && !(await host.git.isAncestor(from, body.sha))) return refuse(422, 'Update is not a fast forward');
  await host.git.updateRef(ref, body.sha, from);
  await followBranches(host);
  return ok(refBody(host, ref, body.sha));
};

const deleteRef: Handler = async (host, { parameters }) => {
  const ref = `refs/${parameters['ref']}`;
  const from = (await host.git.refs(ref)).get(ref);
  if (from === undefined) return refuse(422, 'Reference does not exist');
  await host.git.deleteRef(ref, from);
  await followBranches(host);
  return { status: 204 };
};

const getTree: Handler = async (host, { parameters, query }) => {
  const sha = await host.git.resolve(parameters['tree_sha'] as string, 'tree');
  if (sha === undefined) return notFound();
  const entries = await host.git.tree(sha, query['recursive'] !== undefined);
  return ok(treeBody(host, sha, entries.slice(0, host.treeLimit), entries.length > host.treeLimit));
};

function treeBody(host: Host, sha: string, entries: Awaited<ReturnType<Host['git']['tree']>>, truncated = false): object {
  const url = (type: string, object: string) => `${repositoryUrl(host)}/git/${type}s/${object}`;
  const tree = entries.map((e) => ({ ...e, ...(e.type === 'commit' ? {} : { url: url(e.type, e.sha) }) }));
  return { sha, url: url('tree', sha), tree, truncated };
}

const createTree: Handler = async (host, { body }) => {
  if (body.base_tree !== undefined && (await host.git.type(body.base_tree)) !== 'tree')
    return refuse(422, 'base_tree is not a valid tree oid');
  for (const entry of body.tree) {
    const wrong = await entryMistake(host, body.base_tree, entry);
    if (wrong !== undefined) return wrong;
  }
  const sha = await host.git.writeTree(body.base_tree, body.tree);
  return created(treeBody(host, sha, await host.git.tree(sha, false)));
};

async function entryMistake(
  host: Host,
  base: string | undefined,
  entry: { path?: string; mode?: string; sha?: string | null; content?: string },
): Promise<Answer | undefined> {
  const { path, mode, sha, content } = entry;
  if (path === undefined || mode === undefined) return refuse(422, 'Must supply a valid tree.mode and tree.path');
  if (/^\/|\/$|\/\/|(^|\/)\.{1,2}(\/|$)|(^|\/)\.git(\/|$)/.test(path)) return refuse(422, 'tree.path contains a malformed path component');
  if ((sha === undefined) === (content === undefined)) return refuse(422, 'Must supply either tree.sha or tree.content');
  if (typeof sha === 'string' && (await host.git.type(sha)) === undefined) return refuse(422, `tree.sha ${sha} is not a valid blob`);
  if (sha === null && (base === undefined || (await host.git.at(base, path)) === undefined)) return refuse(422, 'GitRPC::BadObjectState');
  return undefined;
}

const getBlob: Handler = async (host, { parameters }) => {
  const sha = parameters['file_sha'] as string;
  if ((await host.git.type(sha)) !== 'blob') return notFound();
  const content = await host.git.blob(sha);
  return ok({
    sha,
    size: content.length,
    encoding: 'base64',
    content: content.toString('base64'),
    url: `${repositoryUrl(host)}/git/blobs/${sha}`,
  });
};

async function commitBody(host: Host, sha: string): Promise<object> {
  const url = repositoryUrl(host);
  const { tree, parents, author, committer, message } = await host.git.commit(sha);
  const of = (parent: string) => ({ sha: parent, url: `${url}/git/commits/${parent}`, html_url: `${url}/commit/${parent}` });
  const verification = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };
  return {
    sha,
    url: `${url}/git/commits/${sha}`,
    author,
    committer,
    message,
    tree: { sha: tree, url: `${url}/git/trees/${tree}` },
    parents: parents.map(of),
    verification,
  };
}

const getCommit: Handler = async (host, { parameters }) => {
  const sha = parameters['commit_sha'] as string;
  return (await host.git.type(sha)) === 'commit' ? ok(await commitBody(host, sha)) : notFound();
};

const createCommit: Handler = async (host, { body, login }: Call) => {
  if ((await host.git.type(body.tree)) !== 'tree') return refuse(422, 'Tree SHA does not exist');
  for (const parent of body.parents ?? [])
    if ((await host.git.type(parent)) !== 'commit') return refuse(422, 'Parent SHA does not exist or is not a commit object');
  const author = { ...signatureOf(login), ...body.author };
  const sha = await host.git.writeCommit({
    tree: body.tree,
    parents: body.parents ?? [],
    author,
    committer: { ...author, ...body.committer },
    message: body.message,
  });
  return created(await commitBody(host, sha));
};

export const gitData: Readonly<Record<string, Handler>> = {
  'git/get-ref': getRef,
  'git/list-matching-refs': matchingRefs,
  'git/create-ref': createRef,
  'git/update-ref': updateRef,
  'git/delete-ref': deleteRef,
  'git/get-tree': getTree,
  'git/create-tree': createTree,
  'git/get-blob': getBlob,
  'git/get-commit': getCommit,
  'git/create-commit': createCommit,
};
