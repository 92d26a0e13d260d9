import { spawn } from 'node:child_process';
import test, { type ExecutionContext } from 'ava';
import { type Stage, stage } from './stage.ts';

const MAIN = new URL('../../src/cli/main.ts', import.meta.url).pathname;

/** A person who merges whatever request of serin is green, until the story ends. */
async function merges(shop: Stage, until: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 400; looks += 1) {
    if (await until()) return;
    for (const request of await shop.mia.pullRequests()) {
      const green = (await shop.mia.statuses(request.head.sha)).some((s) => s.context === 'serin/gates' && s.state === 'success');
      if (green) await shop.mia.mergePullRequest(request.number).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the story never ended');
}

const carried = async (shop: Stage): Promise<number> => (await shop.record().catch(() => ({ carried: [] }))).carried.length;
const version = async (shop: Stage, tag: string): Promise<string> =>
  (await shop.read('deployment.yaml')).replace(/shop:\d+\.\d+\.\d+/, `shop:${tag}`);

async function promotes(t: ExecutionContext, shop: Stage): Promise<void> {
  await merges(shop, async () => (await carried(shop)) === 1 && (await shop.mia.pullRequests('closed')).length === 1);
  const load = shop.load(40);
  await shop.commit('shop 1.1.0', { 'deployment.yaml': await version(shop, '1.1.0') });
  await merges(shop, async () => (await carried(shop)) === 2);
  const counts = await load.stop();
  t.is(counts.failed, 0, `of ${counts.sent} requests`);
  t.is(
    await shop.kubectl('get', 'deployment', '-o', 'jsonpath={.items[*].spec.template.spec.containers[0].image}'),
    'example.com/shop:1.1.0',
  );
  const all = await shop.mia.pullRequests('all');
  t.is(new Set(all.map((p) => p.head.ref)).size, all.length, 'no request is doubled');
  t.deepEqual(shop.github.violations(), []);
}

test('given three ticks at once all the time, when a version is promoted, then no request is lost and none is doubled', async (t) => {
  t.timeout(180_000);
  const shop = await stage(t, 'overlap');
  let over = false;
  const worker = async (): Promise<void> => {
    while (!over) {
      await shop.tick().catch((error: Error) => t.log(error.message));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    }
  };
  const workers = [worker(), worker(), worker()];
  t.teardown(async () => {
    over = true;
    await Promise.all(workers);
  });
  await promotes(t, shop);
});

test('given processes that are killed with SIGKILL at any moment, when a version is promoted, then no request is lost and none is doubled', async (t) => {
  t.timeout(180_000);
  const shop = await stage(t, 'sigkill');
  let over = false;
  const environment = {
    ...process.env,
    GITHUB_REPOSITORY: 'acme/deploy',
    GITHUB_TOKEN: 'serin',
    GITHUB_API_URL: shop.github.url,
    SERIN_PROMETHEUS: process.env['SERIN_LAB_PROMETHEUS'],
  };
  const once = () =>
    new Promise<void>((resolve) => {
      const child = spawn(process.execPath, [MAIN, 'tick', '--budget', '5s'], { env: environment, stdio: 'ignore' });
      const timer = setTimeout(() => child.kill('SIGKILL'), 900 + Math.random() * 1500);
      child.on('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  const killing = (async () => {
    while (!over) await once();
  })();
  t.teardown(async () => {
    over = true;
    await killing;
  });
  await promotes(t, shop);
});
