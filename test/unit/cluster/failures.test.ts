import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { connect } from '../../../src/cluster/connect.ts';
import { readCredentials } from '../../../src/cluster/credentials.ts';
import { at, type ObjectRef } from '../../../src/objects.ts';
import type { Cluster } from '../../../src/ports.ts';
import type { Seconds } from '../../../src/units.ts';

// What a healthy API server cannot be made to do. What it does is held against a real one in test/cluster.
const NEVER = new AbortController().signal;
const SECRETS = { apiVersion: 'v1', kind: 'Secret' };
const SECRET: ObjectRef = { ...SECRETS, namespace: 'shop', name: 'db' };
const DISCOVERY = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: {},
      versions: [
        {
          version: 'v1',
          resources: [{ resource: 'secrets', responseKind: { kind: 'Secret' }, scope: 'Namespaced', verbs: ['get', 'list'] }],
        },
      ],
    },
  ],
};

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;
const says = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
};

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'serin-cluster-'));
  t.teardown(() => rm(path, { recursive: true }));
  return path;
}

async function kubeconfig(t: ExecutionContext, server: string, user: object = {}): Promise<string> {
  const file = join(await folder(t), 'config');
  const config = {
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** A server that knows Secrets; whatever is asked of them goes to the handler, with how often it was asked before. */
async function failing(t: ExecutionContext, handler: Handler, user: object = {}): Promise<Cluster> {
  let count = 0;
  const server = createServer((request, response) => {
    if (request.url === '/api') return says(response, 200, DISCOVERY);
    if (request.url === '/apis') return says(response, 200, { ...DISCOVERY, items: [] });
    handler(request, response, count++);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cluster = await connect('eu-1', {}, { kubeconfig: await kubeconfig(t, address, user), timeout: 1 as Seconds });
  t.teardown(async () => {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  });
  return cluster;
}

const fails = test.macro(async (t, handler: Handler, then: { code: string; retry: string; requests?: number }) => {
  const cluster = await failing(t, handler);
  const before = 2;
  const error = await t.throwsAsync(cluster.get(SECRET, NEVER), { code: then.code });
  t.is(at(error, 'retry'), then.retry);
  t.is(cluster.requests().GET, before + (then.requests ?? 1));
  t.notRegex(`${error?.message} ${String(error?.cause)} ${at(error, 'hint')}`, /hunter2/);
});

const busy =
  (wait: string): Handler =>
  (_, response) =>
    says(response, 429, {}, { 'retry-after': wait });
test('given a server that stays busy, then it is asked once more and the next run tries again', fails, busy('0'), {
  code: 'E_TOO_MANY_REQUESTS',
  retry: 'next run',
  requests: 2,
});
test('given a server that is busy for longer than a request may take, then it is not waited for', fails, busy('60'), {
  code: 'E_TOO_MANY_REQUESTS',
  retry: 'next run',
});
test(
  'given an error of the server about a Secret, then its words are not passed on',
  fails,
  (_, response) => says(response, 500, { message: 'hunter2' }),
  { code: 'E_SERVER', retry: 'next run' },
);
test('given HTML from a load balancer, then the next run tries again', fails, (_, response) => says(response, 502, '<html>'), {
  code: 'E_SERVER',
  retry: 'next run',
});
test('given half a Secret, then nothing of it is quoted', fails, (_, response) => says(response, 200, '{"data": hunter2'), {
  code: 'E_SERVER',
  retry: 'next run',
});
test('given a server that says nothing, then the next run tries again', fails, () => {}, { code: 'E_TIMEOUT', retry: 'next run' });
test('given a connection that breaks, then reading is tried once more', fails, (request) => request.socket.destroy(), {
  code: 'E_CONNECTION',
  retry: 'next run',
  requests: 2,
});

test('given a server that is busy for a moment, then it is waited for and answers', async (t) => {
  const cluster = await failing(t, (_, response, count) =>
    count === 0 ? says(response, 429, {}, { 'retry-after': '0' }) : says(response, 200, { kind: 'Secret' }),
  );
  t.deepEqual(await cluster.get(SECRET, NEVER), { kind: 'Secret' } as never);
});

test('given a compressed answer, then it is inflated', async (t) => {
  const cluster = await failing(t, (request, response) => {
    t.is(request.headers['accept-encoding'], 'gzip');
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"kind":"Secret"}'));
  });
  t.deepEqual(await cluster.get(SECRET, NEVER), { kind: 'Secret' } as never);
});

test('given a list whose continue token has expired, then it is read again, all at once, and nothing twice', async (t) => {
  const item = (name: string) => ({ metadata: { name } });
  const asked: string[] = [];
  const cluster = await failing(t, (request, response, count) => {
    asked.push(request.url ?? '');
    if (count === 0) return says(response, 200, { metadata: { continue: 'old' }, items: [item('a')] });
    if (count === 1) return says(response, 410, { reason: 'Expired' });
    says(response, 200, { metadata: {}, items: [item('a'), item('b')] });
  });
  const found = await cluster.list(SECRETS, 'shop', { app: 'web' }, NEVER);
  t.deepEqual(
    found.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  const path = '/api/v1/namespaces/shop/secrets';
  t.deepEqual(asked, [
    `${path}?limit=500&labelSelector=app%3Dweb`,
    `${path}?limit=500&labelSelector=app%3Dweb&continue=old`,
    `${path}?labelSelector=app%3Dweb`,
  ]);
});

test('given a stop while waiting for an answer, then its reason is thrown', async (t) => {
  const cluster = await failing(t, () => {});
  const stop = new AbortController();
  const asked = cluster.get(SECRET, stop.signal);
  setTimeout(() => stop.abort(new Error('the tick is over')), 50);
  await t.throwsAsync(asked, { message: 'the tick is over' });
});

test('given two who wait for the kinds, when one is stopped, then the other gets its answer and the kinds were looked at once', async (t) => {
  const cluster = await failing(t, (_, response) => says(response, 200, { kind: 'Secret' }));
  const stop = new AbortController();
  const stopped = cluster.namespaced(SECRETS, stop.signal);
  const other = cluster.namespaced(SECRETS, NEVER);
  stop.abort(new Error('the tick is over'));
  await t.throwsAsync(stopped, { message: 'the tick is over' });
  t.true(await other);
  t.is(cluster.requests().GET, 2);
});

test('given a token that has run out, when many are refused with it, then the plugin is run once more, for all of them', async (t) => {
  const command = join(await folder(t), 'plugin');
  // Its tokens are run-1, run-2 and so on.
  const credential = '{"kind":"ExecCredential","status":{"token":"run-%s"}}';
  await writeFile(command, `#!/bin/sh\necho >> ${command}.runs\nprintf '${credential}' $(($(wc -l < ${command}.runs)))\n`);
  await chmod(command, 0o755);
  const seen: (string | undefined)[] = [];
  const handler: Handler = ({ headers }, response) => {
    seen.push(headers.authorization);
    says(response, headers.authorization === 'Bearer run-2' ? 200 : 401, { kind: 'Secret' });
  };
  const cluster = await failing(t, handler, { exec: { apiVersion: 'client.authentication.k8s.io/v1', command } });
  await cluster.namespaced(SECRETS, NEVER);
  await Promise.all([1, 2, 3].map(() => cluster.get(SECRET, NEVER)));
  t.deepEqual([...new Set(seen)], ['Bearer run-1', 'Bearer run-2']);
});

test('given nobody listening, then the message names the server and the reason', async (t) => {
  const cluster = await connect('eu-1', {}, { kubeconfig: await kubeconfig(t, 'http://127.0.0.1:1') });
  t.teardown(() => cluster.close());
  await t.throwsAsync(cluster.get(SECRET, NEVER), {
    code: 'E_CONNECTION',
    message: 'cannot reach eu-1 (http://127.0.0.1:1): ECONNREFUSED',
  });
});

test('given a kubeconfig that is no YAML, then the place is named and the text around it is not', async (t) => {
  const file = join(await folder(t), 'config');
  await writeFile(file, 'users:\n  - user:\n      token: hunter2\n     bad: [');
  const error = await t.throwsAsync(readCredentials({}, file), { code: 'E_KUBECONFIG', message: /line \d/ });
  t.notRegex(`${error?.message} ${String(error?.cause)}`, /hunter2/);
});

test('given a context that is not there, then those that are there are named', async (t) => {
  await t.throwsAsync(readCredentials({ context: 'us-1' }, await kubeconfig(t, 'https://127.0.0.1:1')), {
    code: 'E_KUBECONFIG',
    message: 'the kubeconfig has no context us-1; it has x',
  });
});

test('given a credential plugin that answers with something else than JSON, then its answer is not passed on', async (t) => {
  const command = join(await folder(t), 'plugin');
  await writeFile(command, '#!/bin/sh\necho hunter2\n');
  await chmod(command, 0o755);
  const file = await kubeconfig(t, 'https://127.0.0.1:1', { exec: { apiVersion: 'client.authentication.k8s.io/v1', command } });
  const error = await t.throwsAsync(readCredentials({}, file), { code: 'E_KUBECONFIG', message: /not valid JSON/ });
  t.notRegex(`${error?.message} ${String(error?.cause)}`, /hunter2/);
});

test('given inCluster outside of a pod, then it says so', async (t) => {
  await t.throwsAsync(readCredentials({ inCluster: true }, undefined), { code: 'E_KUBECONFIG', message: /KUBERNETES_SERVICE_HOST/ });
});
