import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ConnectOptions, connect } from '../../src/cluster/connect.ts';
import { at } from '../../src/objects.ts';
import type { Cluster } from '../../src/ports.ts';

// What the server says about its kinds, asked of a real one: the one that KUBECONFIG names (npm run lab).
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const CLUSTER_ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const CRDS = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const signal = (): AbortSignal => AbortSignal.timeout(30_000);

async function connected(t: ExecutionContext, options: ConnectOptions = {}): Promise<Cluster> {
  if (!process.env.KUBECONFIG) throw new Error('no cluster to ask: run this in the lab (npm run lab -- exec ...), which sets KUBECONFIG');
  const made = await connect('lab', {}, options);
  t.teardown(() => made.close());
  return made;
}

test('given a kind that the server does not have, then the hint says where it has it', async (t) => {
  const cluster = await connected(t);
  const error = await t.throwsAsync(cluster.list({ apiVersion: 'extensions/v1beta1', kind: 'Deployment' }, undefined, {}, signal()), {
    code: 'E_UNKNOWN_KIND',
  });
  t.is(at(error, 'hint'), 'lab has it in apps/v1');
});

test('given a kind installed after the first look, then it is found, has no merge rules, and is unknown again once removed', async (t) => {
  const fresh = await connected(t);
  const group = `t${process.pid}.serin.dev`;
  const widget = { apiVersion: `${group}/v1`, kind: 'Widget' };
  await t.throwsAsync(fresh.namespaced(widget, signal()), { code: 'E_UNKNOWN_KIND' });
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
  };
  const crd = await fresh.create(
    {
      ...CRDS,
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
    'for real',
    signal(),
  );
  await until(() => fresh.namespaced(widget, signal()));
  t.true(await fresh.namespaced(widget, signal()));
  t.deepEqual(await until(() => fresh.list(widget, undefined, {}, signal())), []);
  t.is(await fresh.schema(widget, signal()), undefined);
  await fresh.delete({ ...CRDS, name: crd.metadata.name }, crd.metadata.uid ?? '', signal());
  await t.throwsAsync(
    async () => {
      for (let tries = 0; tries < 100; tries++) {
        await fresh.list(widget, undefined, {}, signal());
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    { code: 'E_UNKNOWN_KIND' },
  );
});

/** What the server needs a moment for. */
async function until<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return await look();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return look();
}

test('given kinds, then the server says which live in a namespace', async (t) => {
  const cluster = await connected(t);
  t.true(await cluster.namespaced(DEPLOYMENT, signal()));
  t.false(await cluster.namespaced(CLUSTER_ROLE, signal()));
});

test('given three kinds, when looked at cold, warm, and cold with a kept folder, then it costs 8, 3 and 6 requests', async (t) => {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'serin-openapi-'));
  t.teardown(() => rm(cacheFolder, { recursive: true }));
  const kinds = [DEPLOYMENT, CONFIG_MAP, { apiVersion: 'v1', kind: 'Service' }];
  const look = async (at: Cluster): Promise<number> => {
    const before = at.requests().GET ?? 0;
    for (const kind of kinds) {
      t.truthy(await at.schema(kind, signal()));
      await at.list(kind, undefined, {}, signal());
    }
    return (at.requests().GET ?? 0) - before;
  };
  const first = await connected(t, { cacheFolder });
  t.is(await look(first), 8);
  t.is(await look(first), 3);
  t.is((await readdir(join(cacheFolder, 'lab'))).length, 2);
  t.is(await look(await connected(t, { cacheFolder })), 6);
});

test('given a Deployment, then the server says that its containers are merged by name', async (t) => {
  const cluster = await connected(t);
  const schema = await cluster.schema(DEPLOYMENT, signal());
  const containers = ['spec', 'template', 'spec'].reduce((here, field) => here?.fields[field]?.of(), schema)?.fields.containers;
  t.is(containers?.key, 'name');
});
