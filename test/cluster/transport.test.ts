import test from 'ava';
import { type ConnectOptions, connect } from '../../src/cluster/connect.ts';
import type { Patch } from '../../src/merge/types.ts';
import { at, type KubeObject, type ObjectRef } from '../../src/objects.ts';
import type { Cluster } from '../../src/ports.ts';

// Facts about the API server, asked of a real one: the one that KUBECONFIG names (npm run lab).
const NAMESPACE = `transport-${process.pid}`;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const CLUSTER_ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const NAMESPACES = { apiVersion: 'v1', kind: 'Namespace' };
const signal = (): AbortSignal => AbortSignal.timeout(30_000);
const open: Cluster[] = [];
let cluster: Cluster;

async function connected(options: ConnectOptions = {}): Promise<Cluster> {
  const made = await connect('lab', {}, options);
  open.push(made);
  return made;
}

const ref = (name: string): ObjectRef => ({ ...CONFIG_MAP, namespace: NAMESPACE, name });
const configMap = (name: string, more: object = {}): KubeObject => ({
  ...CONFIG_MAP,
  metadata: { name, namespace: NAMESPACE, ...more },
  data: { a: '1' },
});
const version = (object: KubeObject): string => object.metadata.resourceVersion ?? '';

test.before(async () => {
  if (!process.env.KUBECONFIG) throw new Error('no cluster to ask: run this in the lab (npm run lab -- exec ...), which sets KUBECONFIG');
  cluster = await connected();
  await cluster.create({ ...NAMESPACES, metadata: { name: NAMESPACE } }, 'for real', signal());
});

test.after.always(async () => {
  const namespace = await cluster?.get({ ...NAMESPACES, name: NAMESPACE }, signal());
  if (namespace) await cluster.delete({ ...NAMESPACES, name: NAMESPACE }, namespace.metadata.uid ?? '', signal());
  await Promise.all(open.map((each) => each.close()));
});

test('given an object, when it is created, then it is there as the server wrote it, with serin as its manager', async (t) => {
  const made = await cluster.create(configMap('made'), 'for real', signal());
  const found = await cluster.get(ref('made'), signal());
  t.deepEqual(found, made);
  t.is(found?.metadata.managedFields?.[0]?.manager, 'serin');
  t.regex(found?.metadata.creationTimestamp ?? '', /^[-\d]+T[:\d]+Z$/);
});

test('given no object of that name, when asked for, then it is undefined', async (t) => {
  t.is(await cluster.get(ref('missing'), signal()), undefined);
});

test('given a dry run, when an object is created, then the server answers as if, and it is not there', async (t) => {
  const shown = await cluster.create(configMap('shown'), 'dry run', signal());
  t.truthy(shown.metadata.uid);
  t.is(await cluster.get(ref('shown'), signal()), undefined);
});

test('given an object of that name, when it is created again, then it is a conflict', async (t) => {
  await cluster.create(configMap('twice'), 'for real', signal());
  await t.throwsAsync(cluster.create(configMap('twice'), 'for real', signal()), {
    code: 'E_CONFLICT',
    message: /ConfigMap .*\/twice on lab: AlreadyExists/,
  });
});

const PATCHES: Readonly<Record<Patch['type'], Patch>> = {
  strategic: { type: 'strategic', body: { data: { b: '2' } } },
  merge: { type: 'merge', body: { data: { b: '2' } } },
  json: { type: 'json', body: [{ op: 'add', path: '/data/b', value: '2' }] },
};

const patches = test.macro(async (t, type: Patch['type']) => {
  const name = `patched-${type}`;
  const made = await cluster.create(configMap(name), 'for real', signal());
  const shown = await cluster.patch(ref(name), PATCHES[type], version(made), 'dry run', signal());
  t.deepEqual(at(shown, 'data'), { a: '1', b: '2' });
  const changed = await cluster.patch(ref(name), PATCHES[type], version(made), 'for real', signal());
  t.deepEqual(at(changed, 'data'), { a: '1', b: '2' });
  t.not(version(changed), version(made));
  const late = await t.throwsAsync(cluster.patch(ref(name), PATCHES[type], version(made), 'for real', signal()), { code: 'E_CONFLICT' });
  t.is(at(late, 'retry'), 'next run');
  t.is(version((await cluster.get(ref(name), signal())) as KubeObject), version(changed));
});

test('given a strategic merge patch, then it changes the object once, and only the version it was made from', patches, 'strategic');
test('given a JSON merge patch, then it changes the object once, and only the version it was made from', patches, 'merge');
test('given a JSON patch, then it changes the object once, and only the version it was made from', patches, 'json');

test('given a JSON patch whose test fails, then it is a conflict and nothing changed', async (t) => {
  const made = await cluster.create(configMap('tested'), 'for real', signal());
  const patch: Patch = {
    type: 'json',
    body: [
      { op: 'test', path: '/data/a', value: '9' },
      { op: 'replace', path: '/data/a', value: '3' },
    ],
  };
  await t.throwsAsync(cluster.patch(ref('tested'), patch, version(made), 'for real', signal()), { code: 'E_CONFLICT' });
  t.is(version((await cluster.get(ref('tested'), signal())) as KubeObject), version(made));
});

test('given a directive in a strategic merge patch, then it reaches the server', async (t) => {
  const deployment: KubeObject = {
    ...DEPLOYMENT,
    metadata: { name: 'web', namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: ['app', 'side'].map((name) => ({ name, image: 'shop:1' })) } },
    },
  };
  const made = await cluster.create(deployment, 'for real', signal());
  const patch: Patch = { type: 'strategic', body: { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } } };
  const changed = await cluster.patch({ ...ref('web'), ...DEPLOYMENT }, patch, version(made), 'for real', signal());
  t.deepEqual(
    (at(changed, 'spec', 'template', 'spec', 'containers') as { name: string }[]).map(({ name }) => name),
    ['app'],
  );
});

test('given an invalid object, then the message names the field and nobody tries again', async (t) => {
  const error = await t.throwsAsync(
    cluster.create({ ...DEPLOYMENT, metadata: { name: 'bad', namespace: NAMESPACE }, spec: {} }, 'for real', signal()),
    { code: 'E_INVALID', message: /spec\.selector: Required value/ },
  );
  t.is(at(error, 'retry'), 'never');
});

test('given an invalid Secret, then nothing of what the server said about it is passed on', async (t) => {
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bad', namespace: NAMESPACE, labels: { a: 'hunter2!' } },
    stringData: { a: 'b' },
  };
  const error = await t.throwsAsync(cluster.create(secret, 'for real', signal()), {
    code: 'E_INVALID',
    message: /Secret .*\/bad on lab: Invalid$/,
  });
  t.notRegex(JSON.stringify([error?.message, error?.cause, at(error, 'hint')]), /hunter2/);
});

test('given no such namespace, then the hint names it', async (t) => {
  const error = await t.throwsAsync(
    cluster.create({ ...CONFIG_MAP, metadata: { name: 'a', namespace: 'nowhere' } }, 'for real', signal()),
    { code: 'E_NOT_FOUND' },
  );
  t.regex(String(at(error, 'hint')), /namespace nowhere is not there yet/);
});

test('given an object with no namespace where one is needed, then nothing is sent', async (t) => {
  const fresh = await connected();
  await t.throwsAsync(fresh.delete({ ...CONFIG_MAP, name: 'a' }, 'x', signal()), { code: 'E_NO_NAMESPACE' });
  t.is(fresh.requests().DELETE, undefined);
});

test('given another object of the same name, when deleted by the old uid, then it stays', async (t) => {
  const made = await cluster.create(configMap('other'), 'for real', signal());
  await t.throwsAsync(cluster.delete(ref('other'), '00000000-0000-0000-0000-000000000000', signal()), { code: 'E_CONFLICT' });
  t.is((await cluster.get(ref('other'), signal()))?.metadata.uid, made.metadata.uid);
});

test('given an object, when deleted twice, then it goes and the second time is no error', async (t) => {
  const { metadata } = await cluster.create(configMap('gone'), 'for real', signal());
  await cluster.delete(ref('gone'), metadata.uid ?? '', signal());
  t.is(await cluster.get(ref('gone'), signal()), undefined);
  await t.notThrowsAsync(cluster.delete(ref('gone'), metadata.uid ?? '', signal()));
});

test('given more objects than a page holds, then a list has them all, each with its kind, by label and namespace', async (t) => {
  const small = await connected({ pageSize: 2 });
  const names = ['page-1', 'page-2', 'page-3', 'page-4', 'page-5'];
  await Promise.all(names.map((name) => cluster.create(configMap(name, { labels: { set: NAMESPACE, one: name } }), 'for real', signal())));
  await small.namespaced(CONFIG_MAP, signal());
  const before = small.requests().GET ?? 0;
  const found = await small.list(CONFIG_MAP, NAMESPACE, { set: NAMESPACE }, signal());
  t.deepEqual(
    found.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
    names.map((name) => ['v1', 'ConfigMap', name]),
  );
  t.is((small.requests().GET ?? 0) - before, 3);
  t.is((await small.list(CONFIG_MAP, undefined, { set: NAMESPACE, one: 'page-3' }, signal())).length, 1);
  t.is((await small.list(CONFIG_MAP, 'default', { set: NAMESPACE }, signal())).length, 0);
});

test('given a name with a colon and capitals, then it is found under that name', async (t) => {
  const role: KubeObject = { ...CLUSTER_ROLE, metadata: { name: `My:Role:${process.pid}` }, rules: [] };
  const made = await cluster.create(role, 'for real', signal());
  const named: ObjectRef = { ...CLUSTER_ROLE, name: role.metadata.name };
  t.is((await cluster.get(named, signal()))?.metadata.uid, made.metadata.uid);
  await cluster.delete(named, made.metadata.uid ?? '', signal());
});

test('given an answer, then the time is the server clock to the second, and costs no request', async (t) => {
  const fresh = await connected();
  const [one, two] = [await fresh.now(signal()), await fresh.now(signal())];
  t.deepEqual(fresh.requests(), { GET: 1 });
  t.true(Math.abs(one - Date.now() / 1000) < 5);
  t.true(two - one <= 1);
});

test('given a signal that is aborted, then nothing is sent and its reason is thrown', async (t) => {
  const fresh = await connected();
  await t.throwsAsync(fresh.get(ref('any'), AbortSignal.abort(new Error('the tick is over'))), { message: 'the tick is over' });
  t.deepEqual(fresh.requests(), {});
});
