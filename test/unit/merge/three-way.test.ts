import test from 'ava';
import { sameMeaning } from '../../../src/merge/equal.ts';
import { encodeLastApplied } from '../../../src/merge/last-applied.ts';
import { billionths } from '../../../src/merge/quantity.ts';
import { threeWay } from '../../../src/merge/three-way.ts';
import { type KubeObject, type ManagedFields, SERIN } from '../../../src/objects.ts';
import { schemaFor } from './schemas.ts';

const desired: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { replicas: 4, template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } },
};
const live = (change: Partial<KubeObject> = {}, text: string | undefined = encodeLastApplied(desired)): KubeObject => ({
  ...desired,
  ...change,
  metadata: {
    ...desired.metadata,
    ...change.metadata,
    resourceVersion: '7',
    annotations: { other: 'x', ...(text === '' ? {} : { [SERIN.lastApplied]: text }) },
  },
});
const schema = schemaFor(desired);

test('given an object without the annotation that is as Git says, then only the annotation is written', (t) => {
  const merged = threeWay({ base: undefined, desired, overlaid: desired, live: live({}, ''), schema });
  t.true(merged.bookkeepingOnly);
  t.deepEqual(merged.differences, []);
  t.deepEqual(merged.patch, {
    type: 'strategic',
    body: { metadata: { annotations: { [SERIN.lastApplied]: encodeLastApplied(desired) } } },
  });
});
test('given an annotation that says the same in other bytes, then nothing is sent', (t) => {
  const text = JSON.stringify(JSON.parse(encodeLastApplied(desired)), null, 2);
  t.is(threeWay({ base: desired, desired, overlaid: desired, live: live({}, text), schema }).patch, undefined);
});
test('given an annotation that cannot be read, then it is written anew', (t) => {
  t.true(threeWay({ base: undefined, desired, overlaid: desired, live: live({}, '{'), schema }).bookkeepingOnly);
});

test('given what serin adds, then it is written and the annotation has none of it', (t) => {
  const overlaid = {
    ...desired,
    metadata: { ...desired.metadata, labels: { app: 'web', [SERIN.release]: 'shop' } },
    spec: { ...(desired.spec as object), replicas: 1 },
  };
  const merged = threeWay({ base: desired, desired, overlaid, live: live(), schema });
  t.deepEqual<unknown, unknown>(merged.patch?.body, { metadata: { labels: { [SERIN.release]: 'shop' } }, spec: { replicas: 1 } });
  t.is(merged.result.metadata.annotations?.[SERIN.lastApplied], encodeLastApplied(desired));
  t.is(threeWay({ base: desired, desired, overlaid, live: merged.result, schema }).patch, undefined);
});
test('given replicas that Git gave up and serin sets, then they are set and not removed', (t) => {
  const { replicas: _, ...spec } = desired.spec as { replicas: number };
  const given = { ...desired, spec };
  const overlaid = { ...desired, spec: { ...spec, replicas: 9 } };
  t.like(threeWay({ base: desired, desired: given, overlaid, live: live(), schema }).result.spec, { replicas: 9 });
});
test('given replicas that Git names and serin leaves out, then live keeps its own', (t) => {
  const { replicas: _, ...spec } = desired.spec as { replicas: number };
  const scaled = live({ spec: { ...spec, replicas: 20 } });
  t.is(threeWay({ base: desired, desired, overlaid: { ...desired, spec }, live: scaled, schema }).patch, undefined);
  t.is(threeWay({ base: desired, desired, overlaid: { ...desired, spec }, live: live(), schema }).patch, undefined);
});
test('given labels that Git gave up altogether, then those of others stay', (t) => {
  const { labels: _, ...metadata } = desired.metadata;
  const bare = { ...desired, metadata };
  const labelled = live({ metadata: { name: 'web', labels: { app: 'web', foreign: '1' } } });
  const merged = threeWay({ base: desired, desired: bare, overlaid: bare, live: labelled, schema });
  t.deepEqual(merged.result.metadata.labels, { foreign: '1' });
});
test('given a UDP port where Git means the default protocol, then it becomes TCP', (t) => {
  const ports = (port: object) => ({ ...desired, spec: { template: { spec: { containers: [{ name: 'app', ports: [port] }] } } } });
  const wanted = ports({ containerPort: 53 });
  const merged = threeWay({
    base: undefined,
    desired: wanted,
    overlaid: wanted,
    live: ports({ containerPort: 53, protocol: 'UDP' }),
    schema,
  });
  t.deepEqual(
    merged.differences.map(({ path, live, desired }) => [path, live, desired]),
    [['spec.template.spec.containers[name=app].ports[containerPort=53].protocol', 'UDP', 'TCP']],
  );
});
test('given a manifest with a status, a namespace and a resourceVersion, then none of them is sent', (t) => {
  const exported = {
    ...desired,
    status: { replicas: 0 },
    metadata: { ...desired.metadata, namespace: 'shop', resourceVersion: '1', generation: 3 },
  };
  const merged = threeWay({ base: exported, desired: exported, overlaid: exported, live: live({ status: { replicas: 4 } }), schema });
  t.true(merged.bookkeepingOnly);
});

const manager = (name: string, time: string, fieldsV1: Record<string, unknown>): ManagedFields => ({
  manager: name,
  operation: 'Update',
  apiVersion: 'apps/v1',
  time,
  fieldsV1,
});
const container = (fields: Record<string, unknown>) => ({
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': {}, ...fields } } } } },
});
test('given a field that a person edited, then the difference says where, what, who and when', (t) => {
  const edited = live({
    spec: { replicas: 4, template: { spec: { containers: [{ name: 'app', image: 'app:9', args: ['x'] }] } } },
    metadata: {
      name: 'web',
      managedFields: [
        manager('serin', '2026-11-20T10:00:00Z', {
          'f:spec': { 'f:replicas': {} },
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
        }),
        manager('kubectl-edit', '2026-11-20T14:02:11Z', container({ 'f:image': {}, 'f:args': {} })),
      ],
    },
  });
  const { differences } = threeWay({ base: desired, desired, overlaid: desired, live: edited, schema });
  t.deepEqual(differences, [
    {
      path: 'spec.template.spec.containers[name=app].image',
      live: 'app:9',
      desired: 'app:2',
      manager: 'kubectl-edit',
      time: '2026-11-20T14:02:11Z',
    },
  ]);
});
test('given one port number over two protocols, then the difference names both keys', (t) => {
  const [tcp, udp] = [
    { port: 53, protocol: 'TCP', name: 'a' },
    { port: 53, protocol: 'UDP', name: 'b' },
  ];
  const service = (ports: readonly object[]): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'dns' },
    spec: { ports },
  });
  const { differences } = threeWay({
    base: undefined,
    desired: service([tcp, udp]),
    overlaid: service([tcp, udp]),
    live: service([tcp, { ...udp, name: 'c' }]),
    schema: schemaFor(service([])),
  });
  t.deepEqual(differences, [{ path: 'spec.ports[port=53,protocol=UDP].name', live: 'c', desired: 'b' }]);
});

test('given a Secret, then differences say only how long its values are', (t) => {
  const secret = (data: object): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...data });
  const wanted = secret({ stringData: { password: 'hunter2', added: 'x' } });
  const merged = threeWay({
    base: secret({ data: { gone: '' } }),
    desired: wanted,
    overlaid: wanted,
    live: secret({ data: { password: 'YWJj', gone: 'YQ==', foreign: 'YQ==' } }),
    schema: schemaFor(wanted),
  });
  t.deepEqual(merged.differences, [
    { path: 'data.password', live: '***(3 bytes)', desired: '***(7 bytes)' },
    { path: 'data.gone', live: '***(1 bytes)', desired: undefined },
    { path: 'data.added', live: undefined, desired: '***(1 bytes)' },
  ]);
  t.deepEqual<unknown, unknown>(merged.result.data, { password: 'aHVudGVyMg==', added: 'eA==', foreign: 'YQ==' });
  t.false(JSON.stringify(merged.result.metadata).includes('hunter2'));
});

const same = test.macro((t, a: unknown, b: unknown) => t.is(billionths(a), billionths(b)));
test('given 1000m and 1, then they are one quantity', same, '1000m', 1);
test('given 1.5Gi and 1536Mi, then they are one quantity', same, '1.5Gi', '1536Mi');
test('given 1e3 and 1k, then they are one quantity', same, '1e3', '1k');
test('given 0.1n and 1n, then they are one quantity, for nothing is finer', same, '0.1n', '1n');
test('given what is no quantity, then it is none', (t) => {
  t.deepEqual(['', 'm', '1x', '1 Gi', true].map(billionths), [undefined, undefined, undefined, undefined, undefined]);
  t.not(billionths('1G'), billionths('1Gi'));
});

test('given two objects whose keyed lists differ only in order, then they mean the same', (t) => {
  const pod = (names: readonly string[]) => ({ spec: { template: { spec: { containers: names.map((name) => ({ name })) } } } });
  t.true(sameMeaning(pod(['a', 'b']), pod(['b', 'a']), schema));
  t.false(sameMeaning(pod(['a', 'b']), pod(['a', 'c']), schema));
  t.false(sameMeaning(pod(['a']), pod(['a', 'b']), schema));
});
test('given 25 as a number and as text where either may stand, then they mean the same', (t) => {
  const surge = (maxSurge: unknown) => ({ spec: { strategy: { rollingUpdate: { maxSurge } } } });
  t.true(sameMeaning(surge(25), surge('25'), schema));
  t.false(sameMeaning({ spec: { replicas: 25 } }, { spec: { replicas: '25' } }, schema));
});
