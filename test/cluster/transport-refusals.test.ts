import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { connect } from '../../src/cluster/connect.ts';
import type { Patch } from '../../src/merge/types.ts';
import { at } from '../../src/objects.ts';
import type { Cluster } from '../../src/ports.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const NAMESPACES = { apiVersion: 'v1', kind: 'Namespace' };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const signal = (): AbortSignal => AbortSignal.timeout(30_000);

/** The same server, asked by somebody else, or without its certificate authority. JSON is YAML too. */
async function connectedAs(t: ExecutionContext, user: object, { withoutAuthority = false, proxy = '' } = {}): Promise<Cluster> {
  const file = process.env.KUBECONFIG;
  if (!file) throw new Error('no cluster to ask: run this in the lab (npm run lab -- exec ...), which sets KUBECONFIG');
  const config = load(await readFile(file, 'utf8')) as {
    clusters: { name: string; cluster: Record<string, unknown> }[];
    contexts: { name: string; context: { cluster: string } }[];
    'current-context': string;
  };
  const used = config.contexts.find(({ name }) => name === config['current-context'])?.context.cluster;
  const cluster = config.clusters.find(({ name }) => name === used)?.cluster;
  const { 'certificate-authority': _file, 'certificate-authority-data': _data, ...bare } = cluster ?? {};
  const folder = await mkdtemp(join(tmpdir(), 'serin-kubeconfig-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'config');
  const other = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { ...(withoutAuthority ? bare : cluster), ...(proxy === '' ? {} : { 'proxy-url': proxy }) } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, JSON.stringify(other));
  const made = await connect('lab', {}, { kubeconfig });
  t.teardown(() => made.close());
  return made;
}

test('given nobody, when the kinds are looked at, then it is forbidden', async (t) => {
  const cluster = await connectedAs(t, {});
  const error = await t.throwsAsync(cluster.list(DEPLOYMENT, 'default', {}, signal()), { code: 'E_FORBIDDEN' });
  t.is(at(error, 'retry'), 'never');
});

test('given a user without a rule for it, then the hint is the RBAC rule that is missing', async (t) => {
  const cluster = await connectedAs(t, { ...(await adminUser()), as: 'somebody' });
  const error = await t.throwsAsync(cluster.list(DEPLOYMENT, 'default', {}, signal()), { code: 'E_FORBIDDEN' });
  t.is(at(error, 'hint'), 'RBAC: the user that serin runs as needs verb list on resource deployments, apiGroup "apps"');
});

test('given a namespace that is being deleted, then nothing new gets in, and the next run tries again', async (t) => {
  const cluster = await connectedAs(t, await adminUser());
  const namespace = `leaving-${process.pid}`;
  const { metadata } = await cluster.create({ ...NAMESPACES, metadata: { name: namespace } }, 'for real', signal());
  // Something in it that does not go keeps the namespace in its last state.
  const keeper = { ...CONFIG_MAP, namespace, name: 'keeper' };
  await cluster.create({ ...CONFIG_MAP, metadata: { name: 'keeper', namespace, finalizers: ['serin.dev/test'] } }, 'for real', signal());
  await cluster.delete({ ...NAMESPACES, name: namespace }, metadata.uid ?? '', signal());
  const late = cluster.create({ ...CONFIG_MAP, metadata: { name: 'late', namespace } }, 'for real', signal());
  const error = await t.throwsAsync(late, { code: 'E_FORBIDDEN' });
  t.is(at(error, 'hint'), 'its namespace is being deleted');
  t.is(at(error, 'retry'), 'next run');
  const kept = await cluster.get(keeper, signal());
  const freed: Patch = { type: 'merge', body: { metadata: { finalizers: null } } };
  await cluster.patch(keeper, freed, kept?.metadata.resourceVersion ?? '', 'for real', signal());
});

test('given a pod that the namespace does not admit, then it is not called a missing RBAC rule', async (t) => {
  const cluster = await connectedAs(t, await adminUser());
  const namespace = `strict-${process.pid}`;
  const { metadata } = await cluster.create(
    { ...NAMESPACES, metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    'for real',
    signal(),
  );
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'root', namespace },
    spec: { containers: [{ name: 'app', image: 'shop:1' }] },
  };
  const error = await t.throwsAsync(cluster.create(pod, 'dry run', signal()), { code: 'E_FORBIDDEN', message: /violates PodSecurity/ });
  t.is(at(error, 'hint'), 'admission control refuses it: mend the manifest or the policy');
  await cluster.delete({ ...NAMESPACES, name: namespace }, metadata.uid ?? '', signal());
});

test('given credentials that the server does not know, then they are read again once, and a person has to renew them', async (t) => {
  const cluster = await connectedAs(t, { token: 'wrong' });
  const error = await t.throwsAsync(cluster.get({ ...CONFIG_MAP, namespace: 'default', name: 'a' }, signal()), { code: 'E_UNAUTHORIZED' });
  t.is(at(error, 'retry'), 'never');
  t.notRegex(String(error?.message), /wrong/);
});

test('given a server whose certificate nobody vouches for, then it is not talked to', async (t) => {
  const cluster = await connectedAs(t, { token: 'wrong' }, { withoutAuthority: true });
  const error = await t.throwsAsync(cluster.list(DEPLOYMENT, 'default', {}, signal()), { code: 'E_TLS' });
  t.is(at(error, 'retry'), 'never');
});

test('given a proxy in the kubeconfig, then everything goes through one tunnel of it', async (t) => {
  let tunnels = 0;
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, client) => {
    tunnels++;
    const { hostname, port } = new URL(`tcp://${url}`);
    const server = dial(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const cluster = await connectedAs(t, await adminUser(), { proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  await cluster.namespaced(CONFIG_MAP, signal());
  await Promise.all([1, 2, 3].map(() => cluster.list(CONFIG_MAP, 'default', {}, signal())));
  t.is(tunnels, 1);
});

async function adminUser(): Promise<object> {
  const config = load(await readFile(process.env.KUBECONFIG ?? '', 'utf8')) as { users: { user: object }[] };
  return config.users[0]?.user ?? {};
}
