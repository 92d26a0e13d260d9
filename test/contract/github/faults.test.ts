import test from 'ava';
import { SerinError } from '../../../src/errors.ts';
import { RateLimitError } from '../../../src/github/errors.ts';
import type { Answer } from '../../github/host.ts';
import { advance, stage } from '../../github/stage.ts';

const down: Answer = { status: 502, body: { message: 'Server Error' } };

test('given two looks that propose the same at once, then there is one branch and one pull request, and both are told of it', async (t) => {
  const { again, mia, head, signal, hub } = await stage(t);
  const proposal = advance(await head());
  const made = await Promise.all([1, 2, 3].map(() => again().forge.propose(proposal, signal)));
  t.deepEqual(new Set(made.map(({ number }) => number)), new Set([1]));
  t.is((await mia.pullRequests('all')).length, 1);
  t.deepEqual(hub.violations(), []);
});

test('given a branch that another look makes between our look and our write, then the ref is the mutex and its pull request is ours too', async (t) => {
  const { forge, again, mia, head, signal, hub } = await stage(t);
  const proposal = advance(await head());
  hub.fault({ operation: 'git/create-ref', first: () => again().forge.propose(proposal, signal) });
  t.like(await forge.propose(proposal, signal), { number: 1, state: 'open' });
  t.is(hub.counts().operations['git/create-ref']?.['422'], 1);
  t.is((await mia.pullRequests('all')).length, 1);
});

const carriesOn = test.macro(async (t, operation: string, effect: boolean, answer: Answer | 'hang up') => {
  const { forge, again, mia, head, signal, hub } = await stage(t);
  const proposal = advance(await head());
  hub.fault({ operation, effect, answer });
  await t.throwsAsync(forge.propose(proposal, signal), { instanceOf: SerinError, message: /./ });
  t.like(await again().forge.propose(proposal, signal), { number: 1, state: 'open', branch: proposal.branch });
  t.is((await mia.pullRequests('all')).length, 1);
  t.is((await mia.files(1)).length, 1);
});

for (const operation of ['git/create-tree', 'git/create-commit', 'git/create-ref', 'pulls/create']) {
  test(
    `given a 502 in place of ${operation}, when the next look proposes, then there is one pull request`,
    carriesOn,
    operation,
    false,
    down,
  );
  test(
    `given a 502 after ${operation} took effect, when the next look proposes, then there is one pull request`,
    carriesOn,
    operation,
    true,
    down,
  );
}
test(
  'given a connection lost after the branch was made, when the next look proposes, then its branch gets its pull request',
  carriesOn,
  'git/create-ref',
  true,
  'hang up',
);
test(
  'given a connection lost after the pull request was made, when the next look proposes, then it is found',
  carriesOn,
  'pulls/create',
  true,
  'hang up',
);

test('given a branch of ours without a pull request while main moved on, when it is proposed again, then it gets its pull request as it is', async (t) => {
  const { forge, mia, head, signal, hub } = await stage(t);
  hub.fault({ operation: 'pulls/create', answer: down });
  await t.throwsAsync(forge.propose(advance(await head()), signal), { code: 'E_GITHUB_DOWN' });
  await mia.commit({ files: { 'README.md': '# moved\n' }, message: 'moved' });
  await forge.propose(advance(await head()), signal);
  t.deepEqual(
    (await mia.files(1)).map(({ filename }) => filename),
    ['releases/shop/rollout.yaml'],
  );
});

test('given a 502 on a write, then it is sent once; on a read, then it is tried again within the look', async (t) => {
  const { forge, source, head, signal, hub } = await stage(t);
  const sha = await head();
  hub.resetCounts();
  hub.fault({ operation: 'repos/create-commit-status', answer: down });
  await t.throwsAsync(forge.setStatus(sha, { context: 'c', state: 'success', description: '' }, signal), { code: 'E_GITHUB_DOWN' });
  hub.fault({ operation: 'git/get-tree', answer: down });
  t.is((await source.files(sha, [], signal)).size, 2);
  t.deepEqual(hub.counts().operations['repos/create-commit-status'], { 502: 1 });
  t.deepEqual(hub.counts().operations['git/get-tree'], { 502: 1, 200: 1 });
});

test('given a merge whose answer was lost, when it is merged again, then it is known as merged', async (t) => {
  const { forge, mia, head, signal, hub } = await stage(t);
  const { headSha } = await forge.propose(advance(await head()), signal);
  hub.fault({ operation: 'pulls/merge', effect: true, answer: 'hang up' });
  await t.throwsAsync(forge.merge(1, headSha, signal), { code: 'E_GITHUB_UNREACHABLE' });
  t.true(await forge.merge(1, headSha, signal));
  t.is(await mia.read('releases/shop/rollout.yaml'), 'weight: 25\n');
});

test('given a person who merges between our look and our merge, then it is known as merged', async (t) => {
  const { forge, mia, head, signal, hub } = await stage(t);
  const { headSha } = await forge.propose(advance(await head()), signal);
  hub.fault({ operation: 'repos/get', first: () => mia.mergePullRequest(1) });
  t.true(await forge.merge(1, headSha, signal));
});

test('given a close whose comment was made and whose answer was lost, when it is closed again, then the comment stands once', async (t) => {
  const { forge, mia, head, signal, hub } = await stage(t);
  await forge.propose(advance(await head()), signal);
  hub.fault({ operation: 'issues/create-comment', effect: true, answer: down });
  await t.throwsAsync(forge.close(1, 'superseded', signal), { code: 'E_GITHUB_DOWN' });
  await forge.close(1, 'superseded', signal);
  t.deepEqual(await mia.comments(1), ['superseded']);
});

const limited = test.macro(async (t, status: number, headers: Record<string, string>, until: RegExp) => {
  const { forge, signal, hub } = await stage(t);
  hub.fault({ operation: 'pulls/list', answer: { status, headers, body: { message: 'You have exceeded a rate limit' } } });
  const error = await t.throwsAsync(forge.pullRequests(signal), { instanceOf: RateLimitError, code: 'E_RATE_LIMIT', message: until });
  t.is(error?.retry, 'next run');
  t.is(hub.counts().requests, 1, 'nobody asks again within this look');
});
const date = 'Fri, 20 Nov 2026 14:00:00 GMT';

test(
  'given 429 with retry-after, then the look ends with "not before", by GitHub\'s clock',
  limited,
  429,
  { date, 'retry-after': '90' },
  /not before 2026-11-20T14:01:30Z/,
);
test(
  'given 403 with nothing remaining, then "not before" is the reset',
  limited,
  403,
  { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.parse('2026-11-20T15:00:00Z') / 1000) },
  /not before 2026-11-20T15:00:00Z/,
);
test('given 429 without a time, then "not before" is a minute away', limited, 429, { date }, /not before 2026-11-20T14:01:00Z/);

const told = test.macro(async (t, answer: Answer, code: string, hint: RegExp) => {
  const { forge, signal, hub } = await stage(t);
  hub.fault({ operation: 'pulls/list', answer });
  const error = await t.throwsAsync(forge.pullRequests(signal), { instanceOf: SerinError, code });
  t.regex(error?.hint ?? '', hint);
  t.regex(error?.message ?? '', /acme\/deploy/);
  t.notRegex(`${error?.stack} ${JSON.stringify(error)} ${String(error?.cause)}`, /secret-token/);
});

test(
  'given 401, then the hint asks for a fresh token',
  told,
  { status: 401, body: { message: 'Bad credentials' } },
  'E_GITHUB_AUTH',
  /token/,
);
test(
  'given 403, then the hint names the permission that GitHub names',
  told,
  { status: 403, headers: { 'x-accepted-github-permissions': 'pull_requests=read' }, body: { message: 'Resource not accessible' } },
  'E_GITHUB_FORBIDDEN',
  /pull_requests=read/,
);
test(
  'given 404, then the hint says that the token may not see it',
  told,
  { status: 404, body: { message: 'Not Found' } },
  'E_GITHUB_NOT_FOUND',
  /may not see/,
);

test('given a wrong token, when the head is read, then E_GITHUB_AUTH, and the token is in no word of it', async (t) => {
  const { again, signal } = await stage(t, { token: 'the-right-one' });
  const error = await t.throwsAsync(again().source.head(undefined, signal), { code: 'E_GITHUB_AUTH' });
  t.notRegex(`${error?.stack} ${String(error?.cause)}`, /secret-token/);
});

test('given another look that opens the pull request between our branch and ours, then theirs is taken', async (t) => {
  const { forge, mia, head, signal, hub } = await stage(t);
  const proposal = advance(await head());
  hub.fault({ operation: 'pulls/create', first: () => mia.openPullRequest({ branch: proposal.branch, title: proposal.title }) });
  t.like(await forge.propose(proposal, signal), { number: 1, state: 'open' });
  t.deepEqual(hub.counts().operations['pulls/create'], { 201: 1, 422: 1 });
});

test('given a pull request that a person closed meanwhile, when we close it, then nothing is said any more', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  await forge.propose(advance(await head()), signal);
  await mia.closePullRequest(1);
  await forge.close(1, 'superseded', signal);
  t.deepEqual(await mia.comments(1), []);
});

test('given a caller who gives up while GitHub is slow, then nothing is asked again', async (t) => {
  const { forge, hub } = await stage(t);
  const giveUp = new AbortController();
  const reason = new Error('the budget is spent');
  hub.fault({ operation: 'pulls/list', first: async () => giveUp.abort(reason) });
  t.is(await t.throwsAsync(forge.pullRequests(giveUp.signal)), reason);
  // plugin-retry would ask again after a second
  await new Promise((later) => setTimeout(later, 1200));
  t.is(forge.requests()['GET'], 1);
});
