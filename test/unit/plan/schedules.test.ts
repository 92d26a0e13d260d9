import test from 'ava';
import fc from 'fast-check';
import type { Release } from '../../../src/desired/types.ts';
import { percent, seconds } from '../../../src/units.ts';
import { World } from './world.ts';

const release: Release = {
  name: 'shop',
  folder: 'releases/shop',
  file: 'releases/shop/release.yaml',
  namespace: 'shop',
  render: { manifests: '.' },
  waves: [{ name: 'all', clusters: ['here'] }],
  mode: 'enforce',
  adopt: 'if-unowned',
  canary: {
    naming: 'sibling',
    capacity: 'light',
    traffic: [{ service: 'shop', gatewayAPI: { httpRoute: 'shop' }, settle: seconds(3) }],
    steps: [10, 50, 100].map((weight) => ({ weight: percent(weight), hold: seconds(2), gates: ['errors'] })),
    promotion: 'pull-request',
    maxAge: seconds(172_800),
  },
  gates: {
    errors: { name: 'errors', interval: seconds(1), lag: seconds(1), threshold: { query: 'x', max: 5, failureLimit: 1, minPoints: 3 } },
  },
};

function manifests(version: string, size: number, config = 'a'): Map<string, string> {
  return new Map([
    [
      'releases/shop/deployment.yaml',
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n  replicas: ${size}\n  selector: {matchLabels: {app: shop}}\n  template:\n    metadata: {labels: {app: shop}}\n    spec: {containers: [{name: shop, image: "shop:${version}", envFrom: [{configMapRef: {name: shop}}]}]}\n`,
    ],
    ['releases/shop/config.yaml', `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {key: "${config}"}\n`],
    [
      'releases/shop/service.yaml',
      'apiVersion: v1\nkind: Service\nmetadata: {name: shop}\nspec: {selector: {app: shop}, ports: [{port: 80}]}\n',
    ],
    [
      'releases/shop/route.yaml',
      'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {rules: [{backendRefs: [{name: shop, port: 80}]}]}\n',
    ],
  ]);
}

/** One tick of a schedule: how late it is, how many writes it lives for, how many pods become ready meanwhile, and whether a person merges. */
interface Tick {
  readonly late: number;
  readonly writes: number;
  readonly pods: number;
  readonly merges: boolean;
}
const ticks = fc.array(
  fc.record<Tick>({
    late: fc.constantFrom(0, 1, 1, 2, 5, 60),
    writes: fc.constantFrom(0, 1, 1, 2, 3, 99),
    pods: fc.constantFrom(0, 1, 2, 50),
    merges: fc.boolean(),
  }),
  { minLength: 20, maxLength: 80 },
);
const kind: Tick = { late: 5, writes: 99, pods: 50, merges: true };

function run(world: World, schedule: readonly Tick[], bad: (image: string) => boolean): void {
  for (const tick of schedule) {
    if (tick.merges) world.merge();
    world.pass(tick.late, tick.pods);
    world.act(world.plan(bad), tick.writes);
  }
}

/** A kind world, in which everybody does what they should until nothing has been left to do for a while. */
function settle(world: World, bad: (image: string) => boolean): void {
  for (let count = 0, quiet = 0; count < 150 && quiet < 4; count += 1) {
    const { writes, head } = world;
    run(world, [kind], bad);
    quiet = world.writes === writes && world.head === head ? quiet + 1 : 0;
  }
}

function installed(size: number): World {
  const world = new World(release, manifests('1', size), size);
  settle(world, () => false);
  return world;
}

/** Schedules tried of each kind. With SERIN_RUNS more of them, and a failing one is made shorter, which takes minutes. */
const runs = process.env['SERIN_RUNS'];
const effort = { numRuns: Number(runs ?? 15), endOnFailure: runs === undefined };
const good = (): boolean => false;

test('given ticks that are late, lost, and killed after any write, when a good version is merged on, then traffic always has its capacity and the walk ends promoted', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), ticks, (size, schedule) => {
      const world = installed(size);
      world.commit(world.edited(Object.fromEntries(manifests('2', size, 'b'))));
      run(world, schedule, good);
      settle(world, good);
      t.deepEqual(world.mistakes, []);
      t.deepEqual(
        [world.image(), world.names('Deployment'), world.names('Service'), world.names('ConfigMap').sort()],
        ['shop:2', ['shop'], ['shop'], ['serin-shop', 'shop']],
      );
    }),
    effort,
  );
});

test('given the same ticks and a version that fails its gate, then stable has all traffic again, the revision is held, and Git says so', (t) => {
  const bad = (image: string): boolean => image === 'shop:2';
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), ticks, (size, schedule) => {
      const world = installed(size);
      world.commit(world.edited(Object.fromEntries(manifests('2', size))));
      run(world, schedule, bad);
      settle(world, bad);
      t.deepEqual(world.mistakes, []);
      t.deepEqual([world.image(), world.names('Deployment')], ['shop:1', ['shop']]);
      t.regex(world.commits.get(world.head)?.get('releases/shop/rollout.yaml') ?? '', /held:/);
      t.regex(world.commits.get(world.head)?.get('releases/shop/deployment.yaml') ?? '', /shop:1/, 'the files of stable are back');
    }),
    effort,
  );
});

test('given a third version in the middle of a walk, then the second is withdrawn and the third is promoted', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), ticks, ticks, (size, first, second) => {
      const world = installed(size);
      world.commit(world.edited(Object.fromEntries(manifests('2', size))));
      run(world, first, good);
      world.commit(world.edited(Object.fromEntries(manifests('3', size, 'c'))));
      run(world, second, good);
      settle(world, good);
      t.deepEqual(world.mistakes, []);
      t.deepEqual([world.image(), world.names('Deployment')], ['shop:3', ['shop']]);
    }),
    effort,
  );
});

test('given automatic promotion, when nobody merges anything, then a good version is promoted and a bad one is held', (t) => {
  for (const [image, bad] of [
    ['shop:2', good],
    ['shop:1', (at: string) => at === 'shop:2'],
  ] as const) {
    const world = new World({ ...release, canary: { ...release.canary, promotion: 'automatic' } as never }, manifests('1', 4), 4);
    settle(world, good);
    world.commit(world.edited(Object.fromEntries(manifests('2', 4))));
    run(
      world,
      Array.from({ length: 80 }, () => ({ ...kind, merges: false })),
      bad,
    );
    t.deepEqual(world.mistakes, []);
    t.is(world.image(), image);
  }
});

test('given conflict markers in rollout.yaml while a canary fails its gate, then it falls all the same, and requests are left as they are', (t) => {
  let bad = false;
  const world = installed(4);
  world.commit(world.edited(Object.fromEntries(manifests('2', 4))));
  run(
    world,
    Array.from({ length: 12 }, () => ({ ...kind, merges: false })),
    good,
  );
  t.true(world.names('Deployment').includes('shop-canary'));
  const open = () => world.pullRequests.filter((p) => p.state === 'open').map((p) => p.branch);
  const before = open();
  t.is(before.length, 1);
  const text = world.commits.get(world.head)?.get('releases/shop/rollout.yaml') ?? '';
  world.commit(world.edited({ 'releases/shop/rollout.yaml': `<<<<<<< ours\n${text}=======\n>>>>>>> theirs\n` }));
  run(world, [{ ...kind, merges: false }], () => bad);
  t.deepEqual(open(), before);
  bad = true;
  run(
    world,
    Array.from({ length: 12 }, () => ({ ...kind, merges: false })),
    () => bad,
  );
  t.deepEqual([world.image(), world.names('Deployment')], ['shop:1', ['shop']]);
  t.deepEqual(world.mistakes, []);
});

test('given a held version that head comes back to after another was held, then its status is not written again and again', (t) => {
  const world = installed(4);
  const bad = (image: string): boolean => image !== 'shop:1';
  const unmerged = (looks: number) =>
    run(
      world,
      Array.from({ length: looks }, () => ({ ...kind, merges: false })),
      bad,
    );
  for (const version of ['2', '3', '2']) {
    world.commit(world.edited(Object.fromEntries(manifests(version, 4))));
    unmerged(20);
  }
  const { writes } = world;
  unmerged(5);
  t.is(world.writes, writes);
});

test('given a settled world, then a plan holds nothing', (t) => {
  const world = installed(4);
  const { writes } = world;
  run(world, [kind, kind, kind], good);
  t.is(world.writes, writes);
});
