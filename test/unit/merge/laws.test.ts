import test from 'ava';
import fc from 'fast-check';
import { covers, sameMeaning } from '../../../src/merge/equal.ts';
import { withoutNulls } from '../../../src/merge/json.ts';
import { applyJsonMerge } from '../../../src/merge/json-merge.ts';
import { encodeLastApplied, readLastApplied } from '../../../src/merge/last-applied.ts';
import { applyStrategic } from '../../../src/merge/strategic.ts';
import { threeWay } from '../../../src/merge/three-way.ts';
import { type KubeObject, SERIN } from '../../../src/objects.ts';
import { schemaFor } from './schemas.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const labels = fc.dictionary(name, fc.constantFrom('1', '2'), { maxKeys: 3 });
const env = fc.array(fc.record({ name, value: fc.constantFrom('1', '2') }), { maxLength: 4 });
const ports = fc.array(fc.record({ containerPort: fc.constantFrom(53, 80), protocol: fc.constantFrom('TCP', 'UDP') }), { maxLength: 3 });
const resources = record({ limits: record({ cpu: fc.constantFrom('1', '1000m', '500m'), memory: fc.constantFrom('1Gi', '1024Mi') }) });
const container = fc
  .tuple(name, record({ image: fc.constantFrom('i:1', 'i:2'), env, ports, resources, args: fc.array(name, { maxLength: 2 }) }))
  .map(([called, rest]) => ({ name: called, ...rest }));
const volume = fc.oneof(
  fc.record({ name, emptyDir: fc.constant({}) }),
  fc.record({ name, configMap: fc.record({ name }) }),
  fc.record({ name, secret: record({ secretName: name, optional: fc.boolean() }) }),
);
const unique = <T extends { name: string }>(item: fc.Arbitrary<T>) => fc.uniqueArray(item, { selector: (one) => one.name, maxLength: 3 });
const strategy = fc.oneof(
  fc.constant({ type: 'Recreate' }),
  fc.record({ type: fc.constant('RollingUpdate'), rollingUpdate: record({ maxSurge: fc.constantFrom(1, '25%') }) }),
);
const podSpec = record({
  containers: unique(container),
  volumes: unique(volume),
  nodeSelector: labels,
  tolerations: fc.array(record({ key: name }), { maxLength: 2 }),
});
const deployment = fc
  .tuple(
    maybe(labels),
    maybe(fc.uniqueArray(name, { maxLength: 3 })),
    record({ replicas: fc.nat(3), strategy, template: record({ spec: podSpec }) }),
  )
  .map(([labels, finalizers, spec]) =>
    object('apps/v1', 'Deployment', { ...(labels && { labels }), ...(finalizers && { finalizers }) }, spec),
  );
const custom = fc.tuple(maybe(labels), fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })).map(
  ([labels, spec]) =>
    // live objects hold no nulls: the API server drops them
    withoutNulls(object('example.com/v1', 'Widget', { ...(labels && { labels }) }, spec)) as KubeObject,
);
const kinds = fc.oneof(fc.tuple(deployment, deployment, deployment), fc.tuple(custom, custom, custom));

function object(apiVersion: string, kind: string, metadata: Record<string, unknown>, spec: unknown): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x', ...metadata }, spec };
}
function merge(base: KubeObject | undefined, desired: KubeObject, live: KubeObject) {
  return threeWay({ base, desired, overlaid: desired, live, schema: schemaFor(desired) });
}
function annotated(live: KubeObject, manifest: KubeObject): KubeObject {
  return {
    ...live,
    metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, [SERIN.lastApplied]: encodeLastApplied(manifest) } },
  };
}
function applied(live: KubeObject, { patch }: ReturnType<typeof merge>): unknown {
  if (patch === undefined) return live;
  if (patch.type === 'json') throw new Error('no JSON patches are made yet');
  return patch.type === 'strategic' ? applyStrategic(live, patch.body, schemaFor(live)) : applyJsonMerge(live, patch.body);
}

test('given an object that is as Git says, when it is merged, then nothing is sent', (t) => {
  fc.assert(fc.property(kinds, ([desired]) => t.deepEqual(merge(desired, desired, annotated(desired, desired)).patch, undefined)));
});

test('given any three sides, when the patch is applied, then the result is what was foretold', (t) => {
  fc.assert(
    fc.property(kinds, ([base, desired, live]) => {
      const merged = merge(base, desired, live);
      t.deepEqual<unknown, unknown>(applied(live, merged), merged.result);
    }),
  );
});

test('given any three sides, when the result is merged again, then nothing is sent', (t) => {
  fc.assert(
    fc.property(kinds, ([base, desired, live]) => {
      const { result } = merge(base, desired, live);
      const again = merge(readLastApplied(result), desired, result);
      t.deepEqual(again.patch, undefined);
      t.deepEqual(again.differences, []);
    }),
  );
});

test('given any three sides, then the result has all that Git says', (t) => {
  fc.assert(
    fc.property(kinds, ([base, desired, live]) => {
      const { result } = merge(base, desired, live);
      t.deepEqual<unknown, unknown>(merge(undefined, desired, annotated(result, desired)).patch, undefined);
      for (const [key, value] of Object.entries(desired.metadata.labels ?? {})) t.is(result.metadata.labels?.[key], value);
      if (schemaFor(desired) === undefined) t.true(covers(desired.spec, result.spec, undefined, undefined, ['spec']));
    }),
  );
});

test('given fields, labels and items that only live has, when anything else is merged, then they survive', (t) => {
  const foreign = { name: 'foreign', image: 'proxy:1' };
  fc.assert(
    fc.property(deployment, deployment, (base, desired) => {
      const live = {
        ...base,
        metadata: { ...base.metadata, labels: { ...base.metadata.labels, foreign: '1' } },
        spec: { ...(base.spec as object), paused: true, template: { spec: { containers: [foreign] } } },
      };
      const { result } = merge(base, desired, live);
      const spec = result.spec as { paused?: boolean; template: { spec: { containers: readonly unknown[] } } };
      t.is(result.metadata.labels?.foreign, '1');
      t.true(spec.paused);
      t.true(
        spec.template?.spec?.containers?.some((one) => sameMeaning(one, foreign, undefined)) ??
          (base.spec as { template?: unknown }).template !== undefined,
      );
    }),
  );
});
