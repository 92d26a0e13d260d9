import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { stage } from '../../github/stage.ts';

test('given a repository read once, when one file changes, then the next look fetches one tree and one blob', async (t) => {
  const { source, mia, head, signal, hub } = await stage(t);
  await source.files(await head(), [], signal);
  await mia.commit({ files: { 'README.md': '# changed\n' }, message: 'change' });
  const sha = await head();
  hub.resetCounts();
  t.is((await source.files(sha, [], signal)).get('README.md'), '# changed\n');
  await source.files(sha, ['releases'], signal);
  t.deepEqual(hub.counts().operations, { 'git/get-tree': { 200: 1 }, 'git/get-blob': { 200: 1 } });
});

test('given a cache folder, when another process reads the same commit, then no blob is fetched; a damaged one is fetched again', async (t) => {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'serin-blobs-'));
  t.teardown(() => rm(cacheFolder, { recursive: true }));
  const { again, head, signal, hub } = await stage(t, {}, { cacheFolder });
  const sha = await head();
  const first = await again().source.files(sha, [], signal);
  hub.resetCounts();
  t.deepEqual(await again().source.files(sha, [], signal), first);
  t.deepEqual(hub.counts().operations, { 'git/get-tree': { 200: 1 } });

  const [name = ''] = (await readdir(join(cacheFolder, 'blobs'), { recursive: true })).filter((path) => path.includes('/'));
  await writeFile(join(cacheFolder, 'blobs', name), 'torn');
  t.deepEqual(await again().source.files(sha, [], signal), first);
  t.deepEqual(hub.counts().operations['git/get-blob'], { 200: 1 });
});

test('given many files, when they are read, then not more than eight are asked for at once', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`releases/shop/${i}.yaml`, `n: ${i}\n`]));
  const { source, head, signal, hub } = await stage(t, { files });
  const sha = await head();
  let [now, most, arrived] = [0, 0, 0];
  const eight = Promise.withResolvers<void>();
  // The first eight wait for each other, and a little for a ninth that must not come.
  const counted = async () => {
    now += 1;
    arrived += 1;
    most = Math.max(most, now);
    if (arrived === 8) setTimeout(eight.resolve, 50);
    await eight.promise;
    now -= 1;
  };
  hub.fault({ operation: 'git/get-blob', times: 40, first: counted });
  t.is((await source.files(sha, [], signal)).size, 40);
  t.is(most, 8);
});

test('given a branch that is not there, when its head is read, then E_NO_COMMIT names it', async (t) => {
  const { again, signal } = await stage(t);
  await t.throwsAsync(again({ base: 'production' }).source.head(undefined, signal), {
    code: 'E_NO_COMMIT',
    message: /branch production of acme\/deploy/,
  });
});

test('given another repository than the token may see, when it is read, then E_GITHUB_NOT_FOUND', async (t) => {
  const { again, signal } = await stage(t);
  await t.throwsAsync(again({ repository: 'acme/secret' }).source.head(undefined, signal), {
    code: 'E_GITHUB_NOT_FOUND',
    message: /acme\/secret/,
  });
});

test('given a tree too large for one answer, when one folder and then another is read, then each is given whole', async (t) => {
  const files = Object.fromEntries(['a', 'b'].flatMap((folder) => [1, 2, 3].map((n) => [`${folder}/${n}.yaml`, `${folder}: ${n}\n`])));
  const { source, head, signal } = await stage(t, { files, treeLimit: 4 });
  const sha = await head();
  t.is((await source.files(sha, ['a'], signal)).size, 3);
  t.is((await source.files(sha, ['b'], signal)).size, 3);
  t.is((await source.files(sha, [], signal)).size, 6);
});
