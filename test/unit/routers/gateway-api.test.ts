import test from 'ava';
import fc from 'fast-check';
import type { KubeObject } from '../../../src/objects.ts';
import { observe, proof, shift } from '../../../src/routers/gateway-api.ts';
import { instant, percent, seconds } from '../../../src/units.ts';

const lens = { service: 'shop', canary: 'shop-canary' };
const filters = [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x', value: 'y' }] } }];
const route = (backendRefs: unknown[]): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'shop', generation: 3 },
  spec: {
    rules: [
      { backendRefs, filters, matches: [{ path: { type: 'PathPrefix', value: '/' } }] },
      { backendRefs: [{ name: 'other', port: 80 }] },
    ],
  },
});
const plain = route([{ name: 'shop', port: 80 }]);

test('given a route to the Service alone, when it is shifted to 10 %, then only that backendRef is split', (t) => {
  t.deepEqual(
    shift(plain, lens, percent(10)),
    route([
      { name: 'shop', port: 80, weight: 90 },
      { name: 'shop-canary', port: 80, weight: 10 },
    ]),
  );
});

test('given weight 0, then the route is the manifest itself', (t) => t.is(shift(plain, lens, percent(0)), plain));

test('given another backend in the rule, then it keeps its share', (t) => {
  const mixed = route([
    { name: 'shop', port: 80, weight: 3 },
    { name: 'legacy', port: 80, weight: 1 },
  ]);
  t.deepEqual(
    shift(mixed, lens, percent(50)),
    route([
      { name: 'shop', port: 80, weight: 150 },
      { name: 'shop-canary', port: 80, weight: 150 },
      { name: 'legacy', port: 80, weight: 100 },
    ]),
  );
});

test('given any weight, when it is shifted and observed, then it is what was asked for', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      (first, then) => observe(shift(shift(plain, lens, percent(first)), lens, percent(then)), lens) === then || then === 0,
    ),
  );
  t.is(observe(plain, lens), percent(0));
  t.is(observe(undefined, lens), percent(0));
});

const now = instant('2026-11-21T10:00:10Z');
const condition = (type: string, status = 'True', observedGeneration = 3) => ({
  type,
  status,
  observedGeneration,
  reason: type,
  message: `${type} is ${status}`,
});
const standing = (conditions: unknown[], written = '2026-11-21T10:00:00Z'): KubeObject => ({
  ...plain,
  metadata: { ...plain.metadata, managedFields: [{ manager: 'serin', operation: 'Update', apiVersion: 'v1', time: written }] },
  status: { parents: [{ conditions }] },
});
const proves = test.macro((t, live: KubeObject | undefined, is: string, saw?: RegExp) => {
  const answer = proof(live, seconds(5), now);
  t.is(answer.is, is as typeof answer.is);
  if (saw) t.regex('saw' in answer ? answer.saw : '', saw);
});

test(
  'given a route that every parent has accepted and resolved, and that has stood its time, then it is proven',
  proves,
  standing([condition('Accepted'), condition('ResolvedRefs')]),
  'proven',
);
test(
  'given a route written two seconds ago, then it has not settled',
  proves,
  standing([condition('Accepted'), condition('ResolvedRefs')], '2026-11-21T10:00:08Z'),
  'not yet',
  /2 s of 5 s/,
);
test(
  'given a condition of an older generation, then it is not proven',
  proves,
  standing([condition('Accepted', 'True', 2), condition('ResolvedRefs')]),
  'not yet',
  /older generation/,
);
test(
  'given a reference that is not resolved, then the reason is said',
  proves,
  standing([condition('Accepted'), condition('ResolvedRefs', 'False')]),
  'not yet',
  /ResolvedRefs is False/,
);
test('given no parent, then it is not proven', proves, plain, 'not yet', /no gateway/);
test('given no route, then nobody can know', proves, undefined, 'cannot know');
