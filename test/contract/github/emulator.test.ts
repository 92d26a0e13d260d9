import { Octokit } from '@octokit/rest';
import test, { type ExecutionContext } from 'ava';
import { startGitHub } from '../../github/emulator.ts';
import { repository, stage } from '../../github/stage.ts';

const [owner, repo] = repository.split('/') as [string, string];
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function octokit(t: ExecutionContext) {
  const at = await stage(t);
  return { ...at, api: new Octokit({ baseUrl: at.hub.url, auth: 'person-mia', log: quiet }) };
}

test('given an ordinary Octokit, when it is pointed at the emulator, then a change goes from a branch to a merged pull request', async (t) => {
  const { api, hub, mia } = await octokit(t);
  const { data: main } = await api.git.getRef({ owner, repo, ref: 'heads/main' });
  await api.git.createRef({ owner, repo, ref: 'refs/heads/fix', sha: main.object.sha });
  await mia.commit({ branch: 'fix', files: { 'a.yaml': 'a: 1\n' }, message: 'fix' });
  const { data: pull } = await api.pulls.create({ owner, repo, head: 'fix', base: 'main', title: 'fix' });
  t.is(pull.user.login, 'mia');
  await api.pulls.merge({ owner, repo, pull_number: pull.number, sha: pull.head.sha, merge_method: 'squash' });
  const { data: content } = await api.repos.getContent({ owner, repo, path: 'a.yaml' });
  t.like(content, { type: 'file', content: Buffer.from('a: 1\n').toString('base64') });
  t.deepEqual(hub.violations(), []);
});

const refuses = test.macro(async (t, method: string, path: string, body: unknown, answer: RegExp) => {
  const { mia, head, hub } = await stage(t);
  const sha = await head();
  await mia.createBranch('even', sha);
  await mia.createBranch('open', sha);
  await mia.commit({ branch: 'open', files: { x: 'x' }, message: 'x' });
  await mia.openPullRequest({ branch: 'open', title: 'open' });
  await t.throwsAsync(mia.request(method, path.replace('SHA', sha), JSON.parse(JSON.stringify(body).replace('SHA', sha))), {
    message: answer,
  });
  t.deepEqual(hub.violations(), [], 'well formed, and refused for what it says');
});

test(
  'given a ref that exists, when it is made, then 422 as GitHub words it',
  refuses,
  'POST',
  '/git/refs',
  { ref: 'refs/heads/main', sha: 'SHA' },
  /422 .*Reference already exists/,
);
test(
  'given a ref below another ref, when it is made, then 422',
  refuses,
  'POST',
  '/git/refs',
  { ref: 'refs/heads/main/x', sha: 'SHA' },
  /422 .*Reference update failed/,
);
test(
  'given a push that loses commits, when it is not forced, then 422',
  refuses,
  'PATCH',
  '/git/refs/heads/open',
  { sha: 'SHA' },
  /422 .*Update is not a fast forward/,
);
test(
  'given a branch with an open pull request, when another is opened, then 422',
  refuses,
  'POST',
  '/pulls',
  { head: 'open', base: 'main', title: 't' },
  /422 .*A pull request already exists for acme:open\./,
);
test(
  'given a branch that adds nothing, when a pull request is opened, then 422',
  refuses,
  'POST',
  '/pulls',
  { head: 'even', base: 'main', title: 't' },
  /422 .*No commits between main and even/,
);
test(
  'given a branch that is not there, when a pull request is opened, then 422 names the field',
  refuses,
  'POST',
  '/pulls',
  { head: 'gone', base: 'main', title: 't' },
  /422 .*"field":"head"/,
);
test(
  'given another head than the one judged, when it is merged, then 409',
  refuses,
  'PUT',
  '/pulls/1/merge',
  { sha: 'SHA' },
  /409 .*Head branch was modified/,
);
test(
  'given a method that the repository does not allow, when it is merged, then 405',
  refuses,
  'PUT',
  '/pulls/1/merge',
  { merge_method: 'rebase' },
  /405 .*Rebase merges are not allowed/,
);
test(
  'given a description of 141 characters, when a status is set, then 422',
  refuses,
  'POST',
  '/statuses/SHA',
  { state: 'success', description: 'x'.repeat(141) },
  /422 .*maximum is 140/,
);
test(
  'given a file that is not there, when a tree deletes it, then 422',
  refuses,
  'POST',
  '/git/trees',
  { base_tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', tree: [{ path: 'gone', mode: '100644', type: 'blob', sha: null }] },
  /422/,
);

const malformed = test.macro(async (t, method: string, path: string, body: unknown, violation: RegExp) => {
  const { mia, hub } = await stage(t);
  await t.throwsAsync(mia.request(method, path, body), { message: /422/ });
  t.is(hub.violations().length, 1);
  t.regex(hub.violations()[0] ?? '', violation);
});

test(
  'given a misspelt field, when it is sent, then 422 and the violation names it',
  malformed,
  'POST',
  '/git/refs',
  { ref: 'refs/heads/x', sha: 'a'.repeat(40), forced: true },
  /git\/create-ref.*forced/,
);
test(
  'given half a SHA, when it is sent, then 422 and the violation names the pattern',
  malformed,
  'POST',
  '/git/refs',
  { ref: 'refs/heads/x', sha: 'abc' },
  /sha must match pattern/,
);
test(
  'given a query that GitHub does not know, when it is sent, then 422 and the violation names it',
  malformed,
  'GET',
  '/pulls?status=open',
  undefined,
  /pulls\/list.*status/,
);

test('given a filter by a bare branch, then GitHub ignores it, and so does the emulator', async (t) => {
  const { mia, head } = await stage(t);
  await mia.createBranch('x', await head());
  await mia.commit({ branch: 'x', files: { x: 'x' }, message: 'x' });
  await mia.openPullRequest({ branch: 'x', title: 'x' });
  const found = async (filter: string) => ((await mia.request('GET', `/pulls?head=${filter}`)) as unknown[]).length;
  t.deepEqual([await found('other'), await found('acme:other'), await found('acme:x')], [1, 0, 1]);
});

test('given a new pull request, when it is read twice, then whether it can be merged is known the second time', async (t) => {
  const { mia, head } = await stage(t);
  await mia.createBranch('x', await head());
  await mia.commit({ branch: 'x', files: { x: 'x' }, message: 'x' });
  const number = await mia.openPullRequest({ branch: 'x', title: 'x' });
  const mergeable = async () => ((await mia.request('GET', `/pulls/${number}`)) as { mergeable: boolean | null }).mergeable;
  await mia.commit({ branch: 'x', files: { x: 'y' }, message: 'y' });
  t.deepEqual([await mergeable(), await mergeable()], [null, true]);
});

test('given a branch that is deleted, when its pull request is open, then GitHub closes it', async (t) => {
  const { mia, head } = await stage(t);
  await mia.createBranch('x', await head());
  await mia.commit({ branch: 'x', files: { x: 'x' }, message: 'x' });
  await mia.openPullRequest({ branch: 'x', title: 'x' });
  await mia.deleteBranch('x');
  t.deepEqual(
    (await mia.pullRequests('all')).map(({ state, merged_at }) => [state, merged_at]),
    [['closed', null]],
  );
});

test('given an ETag of one token, when another token asks with it, then it is a whole answer; the SHA as ETag holds for all', async (t) => {
  const { hub, head } = await stage(t);
  const sha = await head();
  const ask = (name: string, path: string, headers: Record<string, string>) =>
    fetch(`${hub.url}/repos/${repository}${path}`, { headers: { authorization: `Bearer person-${name}`, ...headers } });
  const etag = (await ask('mia', '/pulls', {})).headers.get('etag') ?? '';
  t.is((await ask('mia', '/pulls', { 'if-none-match': etag })).status, 304);
  t.is((await ask('jo', '/pulls', { 'if-none-match': etag })).status, 200);
  const accept = 'application/vnd.github.sha';
  t.is((await ask('jo', '/commits/main', { accept, 'if-none-match': `"${sha}"` })).status, 304);
  t.is((await ask('jo', '/commits/main', { accept, 'if-none-match': sha })).status, 200, 'without quotes it is no ETag');
});

test('given an emulator that is started again on its folder, then pull requests, statuses and commits are there still', async (t) => {
  const { hub, mia, head } = await stage(t);
  await mia.createBranch('x', await head());
  const sha = await mia.commit({ branch: 'x', files: { x: 'x' }, message: 'x' });
  await mia.openPullRequest({ branch: 'x', title: 'x' });
  await mia.request('POST', `/statuses/${sha}`, { state: 'success', context: 'c' });
  const folder = hub.repositoryFolder.replace(`/${repository}.git`, '');
  const next = await startGitHub({ folder, repository });
  t.teardown(() => next.close());
  const answer = await fetch(`${next.url}/repos/${repository}/commits/x/status`, { headers: { authorization: 'Bearer person-mia' } });
  t.like(await answer.json(), { state: 'success', sha });
});

test('given no token, or not the one configured, then 401', async (t) => {
  const { hub } = await stage(t, { token: 'right' });
  const status = async (headers: Record<string, string>) => (await fetch(`${hub.url}/repos/${repository}`, { headers })).status;
  t.deepEqual(
    [await status({}), await status({ authorization: 'token wrong' }), await status({ authorization: 'token right' })],
    [401, 401, 200],
  );
});
