import test from 'ava';
import type { Cluster, Forge } from '../../src/ports.ts';
import { type Around, Killed, stage } from './stage.ts';

const bySentence = (to: string) => (plans: readonly { decisions: Readonly<Record<string, { to: string }>> }[]) =>
  plans.every((plan) => Object.values(plan.decisions).every((d) => d.to === to));
const oneLine = (patch: string) => patch.split('\n').filter((line) => /^[+-]/.test(line));

test('given a release on GitHub, when its requests are merged one by one, then a new version walks to promotion and no request is lost', async (t) => {
  t.timeout(120_000);
  const shop = await stage(t, 'walk');
  await shop.until('a record request', async () => (await shop.mia.pullRequests()).length === 1);
  const record = await shop.open();
  t.is(record.head.ref.split('--')[0], 'serin/record/shop');
  await shop.mia.mergePullRequest(record.number);
  await shop.until('stable as Git has it', bySentence('keep'));

  const load = shop.load(40);
  await shop.commit('shop 1.1.0', { 'deployment.yaml': (await shop.read('deployment.yaml')).replace('shop:1.0.0', 'shop:1.1.0') });
  for (const [weight, lines] of [
    [50, undefined],
    [100, ['-  weight: 50', '+  weight: 100']],
  ] as const) {
    await shop.until(`a request for ${weight} %`, async () =>
      (await shop.mia.pullRequests()).some((p) => p.head.ref.includes(`-${weight}--`)),
    );
    const request = await shop.open();
    t.is(request.head.ref.split('--')[0], 'serin/advance/shop');
    const files = await shop.mia.files(request.number);
    t.deepEqual(
      files.map((f) => f.filename),
      ['releases/shop/rollout.yaml'],
    );
    if (lines) t.deepEqual(oneLine(files[0]?.patch ?? ''), lines, 'the diff is one line');
    await shop.until('a status', async () => (await shop.mia.statuses(request.head.sha)).length > 0);
    await shop.until('serin/gates green', async () =>
      (await shop.mia.statuses(request.head.sha)).some((s) => s.context === 'serin/gates' && s.state === 'success'),
    );
    await shop.mia.mergePullRequest(request.number);
  }
  await shop.until('a promote request', async () => (await shop.mia.pullRequests()).some((p) => p.head.ref.startsWith('serin/promote/')));
  const promote = await shop.open();
  await shop.until('serin/gates green', async () => (await shop.mia.statuses(promote.head.sha)).some((s) => s.state === 'success'));
  t.is(await shop.kubectl('get', 'deployment', 'shop', '-o', 'jsonpath={.spec.replicas}'), '0', 'at 100 % stable has no pods left');
  await shop.mia.mergePullRequest(promote.number);
  await shop.until('promotion', bySentence('keep'));
  const counts = await load.stop();

  t.is(counts.failed, 0, `of ${counts.sent} requests`);
  t.true((counts.byVersion['1.1.0']?.ok ?? 0) > 0);
  t.is(await shop.kubectl('get', 'deployments', '-o', 'jsonpath={.items[*].metadata.name}'), 'shop');
  t.is(
    await shop.kubectl('get', 'deployment', 'shop', '-o', 'jsonpath={.spec.template.spec.containers[0].image} {.spec.replicas}'),
    'example.com/shop:1.1.0 4',
  );
  t.deepEqual(shop.github.violations(), []);

  shop.github.resetCounts();
  const before = await shop.requests();
  const again = await shop.tick();
  const after = await shop.requests();
  t.is(again.writes, 0, 'a second tick with nothing to do writes nothing');
  for (const verb of ['POST', 'PATCH', 'PUT', 'DELETE']) t.is(after.clusters['here']?.[verb], before.clusters['here']?.[verb], verb);
});

test('given a candidate that answers errors, when its gate fails, then it is closed in the record first, its weight falls, and the roll-back request restores stable', async (t) => {
  t.timeout(120_000);
  const shop = await stage(t, 'fall');
  await shop.until('a record request', async () => (await shop.mia.pullRequests()).length === 1);
  await shop.mia.mergePullRequest((await shop.open()).number);
  await shop.until('stable as Git has it', bySentence('keep'));
  const stable = (await shop.record()).stable?.revision;
  const load = shop.load(60);

  const bad = await shop.commit('shop 1.2.0, which is bad', {
    'deployment.yaml': (await shop.read('deployment.yaml')).replace('shop:1.0.0', 'shop:1.2.0'),
    'configmap.yaml': (await shop.read('configmap.yaml')).replace('ERROR_RATE: "0"', 'ERROR_RATE: "0.5"'),
  });
  await shop.until('the roll-back request', async () =>
    (await shop.mia.pullRequests()).some((p) => p.head.ref.startsWith('serin/rollback/')),
  );
  await shop.until('the sibling gone', bySentence('keep'));
  await load.stop();

  const record = await shop.record();
  t.is(record.stable?.revision, stable);
  t.is(record.closed.length, 1);
  t.regex(record.closed[0]?.reason ?? '', /^errors: \d+ of \d+ points outside/);
  const request = await shop.open();
  const files = await shop.mia.files(request.number);
  t.deepEqual(files.map((f) => f.filename).sort(), [
    'releases/shop/configmap.yaml',
    'releases/shop/deployment.yaml',
    'releases/shop/rollout.yaml',
  ]);
  const failed = (await shop.mia.statuses(bad)).find((s) => s.context === 'serin/shop');
  t.is(failed?.state, 'failure');
  t.regex(failed?.description ?? '', /points outside/);
  t.is(await shop.kubectl('get', 'deployments', '-o', 'jsonpath={.items[*].metadata.name}'), 'shop');
  t.is(await shop.kubectl('get', 'configmaps', '-l', 'applyset.kubernetes.io/part-of', '-o', 'jsonpath={.items[*].metadata.name}'), 'shop');

  await shop.until('a green roll-back', async () =>
    (await shop.mia.statuses(request.head.sha)).some((s) => s.context === 'serin/gates' && s.state === 'success'),
  );
  await shop.mia.mergePullRequest(request.number);
  const { plans } = await shop.tick(5);
  t.regex(JSON.stringify(plans[0]?.decisions), /stable is .* as Git has it/);
  t.regex(await shop.read('rollout.yaml'), /held:\n\s+- revision:/);
  t.deepEqual(
    (await shop.mia.pullRequests()).map((p) => p.head.ref),
    [],
  );
});

/** Ports that let one write through and are dead from then on, as a process killed right after a write. */
function killedAfterOneWrite(): Around {
  let written = false;
  const once =
    <A extends readonly unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (written) throw new Killed();
      const result = await write(...args);
      written = true;
      return result;
    };
  return ({ cluster, forge }) => ({
    cluster:
      cluster &&
      ({
        ...cluster,
        create: once(cluster.create),
        delete: once(cluster.delete),
        patch: (...args: Parameters<Cluster['patch']>) => (args[3] === 'dry run' ? cluster.patch(...args) : once(cluster.patch)(...args)),
      } satisfies Cluster),
    forge: {
      ...forge,
      propose: once(forge.propose),
      close: once(forge.close),
      setStatus: once(forge.setStatus),
      merge: once(forge.merge),
    } satisfies Forge,
  });
}

test('given ticks that are all killed after their first write, then the walk ends where it would have, and no request is lost', async (t) => {
  t.timeout(180_000);
  const shop = await stage(t, 'killed');
  /** Fresh for each tick: each process dies by itself. */
  let dying = killedAfterOneWrite();
  const around: Around = (ports) => dying(ports);
  const until = (what: string, holds: Parameters<typeof shop.until>[1]) => shop.until(what, holds, (ports) => around(ports), 300);
  const reborn = setInterval(() => {
    dying = killedAfterOneWrite();
  }, 400);
  t.teardown(() => clearInterval(reborn));
  await until('a record request', async () => (await shop.mia.pullRequests()).length === 1);
  await shop.mia.mergePullRequest((await shop.open()).number);
  await until('stable as Git has it', bySentence('keep'));
  const load = shop.load(40);
  await shop.commit('shop 1.1.0', { 'deployment.yaml': (await shop.read('deployment.yaml')).replace('shop:1.0.0', 'shop:1.1.0') });
  for (const kind of ['-50--', '-100--', 'serin/promote/']) {
    await until(`a request for ${kind}`, async () => (await shop.mia.pullRequests()).some((p) => p.head.ref.includes(kind)));
    const request = await shop.open();
    await until('serin/gates green', async () => (await shop.mia.statuses(request.head.sha)).some((s) => s.state === 'success'));
    await shop.mia.mergePullRequest(request.number);
  }
  await until('promotion', bySentence('keep'));
  const counts = await load.stop();
  t.is(counts.failed, 0, `of ${counts.sent} requests`);
  t.is(
    await shop.kubectl('get', 'deployment', '-o', 'jsonpath={.items[*].spec.template.spec.containers[0].image}'),
    'example.com/shop:1.1.0',
  );
  const all = await shop.mia.pullRequests('all');
  t.is(new Set(all.map((p) => p.head.ref)).size, all.length, 'none is doubled');
});

test('given nothing new in Git, when a tick comes, then it costs one conditional request and no cluster is asked; when its drift slot comes, one LIST per kind', async (t) => {
  const shop = await stage(t, 'idle');
  await shop.until('a record request', async () => (await shop.mia.pullRequests()).length === 1);
  await shop.mia.mergePullRequest((await shop.open()).number);
  await shop.until('stable as Git has it', bySentence('keep'));
  const { memory } = await shop.tick();
  t.true(memory.quiet);

  const before = await shop.requests();
  const idle = await shop.tick(0, undefined, memory);
  const after = await shop.requests();
  t.true(idle.idle);
  t.deepEqual(after.clusters, before.clusters, 'no cluster was asked');
  t.is((after.forge['GET'] ?? 0) - (before.forge['GET'] ?? 0), 1);
  t.is((after.forge['304'] ?? 0) - (before.forge['304'] ?? 0), 1, 'and it cost no quota');

  await shop.tick(0, undefined, { ...memory, lookAt: 0 as typeof memory.lookAt });
  const slot = await shop.requests();
  t.is((slot.forge['GET'] ?? 0) - (after.forge['GET'] ?? 0), 2, 'the commit and the pull requests');
  t.is((slot.forge['304'] ?? 0) - (after.forge['304'] ?? 0), 2);
  t.is(
    (slot.clusters['here']?.['GET'] ?? 0) - (after.clusters['here']?.['GET'] ?? 0),
    5,
    'the record, and one LIST for each of four kinds',
  );
});
