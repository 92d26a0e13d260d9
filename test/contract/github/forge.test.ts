import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'ava';
import type { Sha } from '../../../src/desired/types.ts';
import { SerinError } from '../../../src/errors.ts';
import { advance, stage } from '../../github/stage.ts';

test('given a proposal, when it is made, then one pull request stands whose diff is the one line', async (t) => {
  const { forge, mia, head, signal, hub } = await stage(t);
  const onto = await head();
  hub.resetCounts();
  const made = await forge.propose(advance(onto), signal);
  t.like(made, { number: 1, state: 'open', branch: 'serin/advance/shop--81b7aa01--eu-25--1', title: 'shop: 10 % to 25 %' });
  t.is(hub.counts().points, 6, 'one look for the branch, the parent, then tree, commit, ref and pull request');
  t.deepEqual(
    (await mia.files(1)).map(({ filename, patch }) => ({ filename, patch })),
    [{ filename: 'releases/shop/rollout.yaml', patch: '@@ -1 +1 @@\n-weight: 10\n+weight: 25' }],
  );
  t.deepEqual(hub.violations(), []);
});

test('given a pull request of ours, when it is proposed again, then it is the same one and nothing is written', async (t) => {
  const { forge, again, head, signal, hub } = await stage(t);
  const onto = await head();
  const first = await forge.propose(advance(onto), signal);
  hub.resetCounts();
  t.deepEqual(await again().forge.propose(advance(onto), signal), first);
  t.deepEqual(Object.keys(hub.counts().operations).sort(), ['git/get-commit', 'git/get-ref', 'pulls/list']);
});

test('given a branch of that name by somebody else, when we propose, then it is left alone and E_CONFLICT says whose it is', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  const onto = await head();
  await mia.createBranch(advance(onto).branch, onto);
  const theirs = await mia.commit({
    branch: advance(onto).branch,
    files: { 'releases/shop/rollout.yaml': 'weight: 99\n' },
    message: 'mine',
  });
  const error = await t.throwsAsync(forge.propose(advance(onto), signal), { instanceOf: SerinError, code: 'E_CONFLICT' });
  t.regex(error?.message ?? '', new RegExp(theirs));
  t.deepEqual(await mia.pullRequests('all'), []);
});

test('given a pull request that a person closed, when it is proposed again, then it stays closed and is told as such', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  const onto = await head();
  await forge.propose(advance(onto), signal);
  await mia.closePullRequest(1);
  t.like(await forge.propose(advance(onto), signal), { number: 1, state: 'closed' });
  t.is((await mia.pullRequests('all')).length, 1);
});

test('given a file to delete, when it is proposed, then the pull request removes it', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  await forge.propose(advance(await head(), { files: { 'README.md': null } }), signal);
  t.deepEqual(
    (await mia.files(1)).map(({ filename, status }) => ({ filename, status })),
    [{ filename: 'README.md', status: 'removed' }],
  );
});

test('given files that the base has already, when they are proposed, then nothing is made', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  await t.throwsAsync(forge.propose(advance(await head(), { files: { 'README.md': '# deploy\n' } }), signal), {
    code: 'E_NOTHING_TO_PROPOSE',
  });
  t.deepEqual(await mia.pullRequests('all'), []);
});

test('given pull requests of ours, of a person and of a fork that copies our name, when listed, then only ours are seen, with their states', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  const onto = await head();
  for (const step of ['a', 'b', 'c'])
    await forge.propose(advance(onto, { branch: `serin/advance/${step}`, files: { [`${step}.yaml`]: 'x\n' } }), signal);
  await mia.mergePullRequest(2, 'squash');
  await mia.closePullRequest(3);
  await mia.createBranch('theirs', onto);
  await mia.commit({ branch: 'theirs', files: { x: 'x' }, message: 'x' });
  await mia.openPullRequest({ branch: 'theirs', title: 'theirs' });
  await mia.openPullRequest({ branch: 'fork:serin/advance/a', title: 'copied' });
  const seen = (await forge.pullRequests(signal)).map(({ number, state }) => `${number} ${state}`).sort();
  t.deepEqual(seen, ['1 open', '2 merged', '3 closed']);
});

test('given more pull requests than one page, when listed, then an old open one of ours is seen still', async (t) => {
  const before = await stage(t);
  const onto = await before.head();
  await before.forge.propose(advance(onto), before.signal);
  await before.mia.createBranch('busy', onto);
  await before.mia.commit({ branch: 'busy', files: { x: 'x' }, message: 'x' });
  await before.mia.closePullRequest(await before.mia.openPullRequest({ branch: 'busy', title: 'busy' }));
  const folder = dirname(dirname(before.hub.repositoryFolder));
  await multiply(`${before.hub.repositoryFolder}.json`, 100);

  const { forge, mia, signal, hub } = await stage(t, { folder });
  t.false(
    (await mia.pullRequests('all')).some((pull) => pull.number === 1),
    'one page does not reach it',
  );
  t.deepEqual(
    (await forge.pullRequests(signal)).map(({ number }) => number),
    [1],
  );
  t.deepEqual(hub.violations(), []);
});

/** As if the last pull request had been opened and closed so many times over. */
async function multiply(file: string, times: number): Promise<void> {
  const state = JSON.parse(await readFile(file, 'utf8'));
  const [ours, busy] = state.pulls;
  const more = Array.from({ length: times }, (_, i) => ({ ...busy, number: i + 2, updatedAt: '2999-01-01T00:00:00Z' }));
  await writeFile(file, JSON.stringify({ ...state, pulls: [ours, ...more] }));
}

test('given nothing new, when head and pull requests are looked at again, then both are 304 and cost nothing', async (t) => {
  const { forge, source, head, signal, hub } = await stage(t);
  const sha = await head();
  await forge.propose(advance(sha), signal);
  const before = await forge.pullRequests(signal);
  hub.resetCounts();
  t.is(await source.head(sha, signal), sha);
  t.deepEqual(await forge.pullRequests(signal), before);
  t.like(hub.counts(), { requests: 2, notModified: 2, points: 0 });
  t.is(forge.requests()['304'], 2);
});

test('given a pull request of ours, when it is closed twice, then it is closed with one comment', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  await forge.propose(advance(await head()), signal);
  await forge.close(1, 'superseded by #2', signal);
  await forge.close(1, 'superseded by #2', signal);
  t.deepEqual(await mia.comments(1), ['superseded by #2']);
  t.deepEqual(await mia.pullRequests(), []);
});

test('given a long description, when a status is set, then it is cut to 140 characters and read back', async (t) => {
  const { forge, head, signal, hub } = await stage(t);
  const sha = await head();
  await forge.setStatus(sha, { context: 'serin/gates', state: 'pending', description: '🐤'.repeat(200) }, signal);
  await forge.setStatus(sha, { context: 'serin/gates', state: 'failure', description: 'errors: 3.1 %' }, signal);
  t.deepEqual(await forge.statuses(sha, signal), [{ context: 'serin/gates', state: 'failure', description: 'errors: 3.1 %' }]);
  t.deepEqual(hub.violations(), []);
  t.is(hub.counts().operations['repos/create-commit-status']?.['201'], 2);
});

test('given a head that has moved, when it is merged, then E_CONFLICT and nothing is merged', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  const { headSha, branch } = await forge.propose(advance(await head()), signal);
  await mia.commit({ branch, files: { x: 'x' }, message: 'more' });
  await t.throwsAsync(forge.merge(1, headSha, signal), { code: 'E_CONFLICT' });
  t.is((await mia.pullRequests()).length, 1);
});

test('given a required status, when it is not green, then the merge is refused for now; and goes through once it is', async (t) => {
  const { forge, mia, head, signal } = await stage(t, { requiredContexts: ['serin/gates'], allowedMerges: ['squash'] });
  const { headSha } = await forge.propose(advance(await head()), signal);
  t.false(await forge.merge(1, headSha, signal));
  await forge.setStatus(headSha, { context: 'serin/gates', state: 'success', description: '' }, signal);
  t.true(await forge.merge(1, headSha, signal));
  t.true(await forge.merge(1, headSha, signal), 'merged already is merged');
  t.is(await mia.read('releases/shop/rollout.yaml'), 'weight: 25\n');
});

test('given a conflict with the base, when it is merged, then it is refused for now', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  const { headSha } = await forge.propose(advance(await head()), signal);
  await mia.commit({ files: { 'releases/shop/rollout.yaml': 'weight: 50\n' }, message: 'quicker' });
  t.false(await forge.merge(1, headSha, signal));
});

test('given a branch of ours, when it is deleted twice, then it is gone; and a branch of others is never touched', async (t) => {
  const { forge, mia, head, signal } = await stage(t);
  const { branch } = await forge.propose(advance(await head()), signal);
  await forge.deleteBranch(branch, signal);
  await forge.deleteBranch(branch, signal);
  await t.throwsAsync(mia.request('GET', `/git/ref/heads/${branch}`), { message: /404/ });
  await t.throwsAsync(forge.deleteBranch('main', signal), { code: 'E_NOT_OURS' });
});

test('given a commit that is not there, when a status is set, then GitHub refuses and its words are told', async (t) => {
  const { forge, signal } = await stage(t);
  await t.throwsAsync(forge.setStatus('0'.repeat(40) as Sha, { context: 'c', state: 'success', description: '' }, signal), {
    message: /No commit found for SHA/,
  });
});
