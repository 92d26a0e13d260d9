import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const run = promisify(execFile);
const MAIN = new URL('../../src/cli/main.ts', import.meta.url).pathname;
const EXAMPLE = new URL('../../examples/shop', import.meta.url).pathname;

/** The sample shop in a local repository, in a namespace of its own. */
async function repository(t: ExecutionContext, namespace: string) {
  const folder = await mkdtemp(join(tmpdir(), 'commands-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(EXAMPLE, folder, { recursive: true });
  const git = (...args: string[]) => run('git', ['-c', 'user.name=mia', '-c', 'user.email=mia@example.com', ...args], { cwd: folder });
  const edit = async (file: string, change: (text: string) => string) => {
    await writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')));
    await git('add', '--all');
    await git('commit', '--quiet', '--message', `edit ${file}`);
  };
  await git('init', '--quiet', '--initial-branch=main');
  await edit('releases/shop/httproute.yaml', (text) =>
    text
      .replace('{name: public, namespace: gateways}', '{name: lab, namespace: default}')
      .replace('shop.example.com', `${namespace}.example.com`),
  );
  await edit('releases/shop/release.yaml', (text) => text.replace('namespace: shop', `namespace: ${namespace}`));
  return { repo: join(folder, '.git'), edit };
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function serin(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env: { ...process.env, ...environment } });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const kubectl = async (...args: string[]) => (await run('kubectl', args)).stdout;

async function namespaced(t: ExecutionContext, name: string): Promise<void> {
  await kubectl('create', 'namespace', name);
  t.teardown(() => kubectl('delete', 'namespace', name, '--wait=false'));
}

test('given a repository, when it is planned, ticked and planned again, then the exit codes are those of kubectl diff and drift is named and repaired', async (t) => {
  await namespaced(t, 'commands');
  const { repo } = await repository(t, 'commands');
  const before = await serin(['plan', '--repo', repo]);
  t.is(before.code, 1, before.err);
  t.regex(before.out, /\+ create Deployment commands\/shop/);
  t.is((await kubectl('-n', 'commands', 'get', 'deployments', '-o', 'name')).trim(), '', 'a plan writes nothing');

  const ticked = await serin(['tick', '--repo', repo, '--budget', '20s']);
  t.is(ticked.code, 0, ticked.err);
  t.regex(ticked.out, /installed [0-9a-f]{10}/);
  const after = await serin(['plan', '--repo', repo, '-o', 'json']);
  t.is(after.code, 0, after.err);
  t.is(JSON.parse(after.out).length, 1);

  await kubectl('-n', 'commands', 'scale', 'deployment', 'shop', '--replicas=7');
  await kubectl('-n', 'commands', 'set', 'image', 'deployment/shop', 'shop=example.com/shop:9.9.9');
  const drifted = await serin(['plan', '--repo', repo]);
  t.is(drifted.code, 1);
  t.regex(drifted.out, /spec\.replicas/);
  const repaired = await serin(['tick', '--repo', repo, '--budget', '5s']);
  t.regex(repaired.out, /repaired Deployment commands\/shop: .*spec\.replicas 7 -> 4 \(by kubectl\)/);
  t.regex(repaired.out, /image example\.com\/shop:9\.9\.9 -> example\.com\/shop:1\.0\.0/);
  t.is(
    await kubectl(
      '-n',
      'commands',
      'get',
      'deployment',
      'shop',
      '-o',
      'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}',
    ),
    '4 example.com/shop:1.0.0',
  );

  const again = await serin(['tick', '--repo', repo, '--budget', '0s', '-o', 'json']);
  const end = again.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .at(-1);
  t.is(end.writes, 0);
  for (const verb of ['POST', 'PATCH', 'PUT', 'DELETE']) t.is(end.requests.clusters.here[verb] ?? 0, 0, verb);

  const status = await serin(['status', '--repo', repo]);
  t.is(status.code, 0);
  t.regex(status.out, /shop +here +[0-9a-f]{10}/);
});

test('given manifests that the server writes otherwise, when they are applied twice, then the second time writes nothing, and kubectl finds nothing to do either', async (t) => {
  await namespaced(t, 'otherwise');
  const { repo, edit } = await repository(t, 'otherwise');
  await edit('releases/shop/deployment.yaml', (text) =>
    text
      .replace('terminationGracePeriodSeconds: 10', 'terminationGracePeriodSeconds: 10\n      hostNetwork: false')
      .replace('ports: [{name', 'resources: {limits: {cpu: 1000m, memory: 1024Mi}}\n          ports: [{name'),
  );
  const role =
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: otherwise-reader, namespace: somewhere}\nrules: [{apiGroups: [""], resources: [pods], verbs: [get]}]\n';
  await writeFile(join(repo, '..', 'releases/shop/role.yaml'), role);
  await edit('releases/shop/role.yaml', (text) => text);
  t.teardown(() => kubectl('delete', 'clusterrole', 'otherwise-reader'));
  const first = await serin(['tick', '--repo', repo, '--budget', '20s']);
  t.is(first.code, 0, first.err);
  t.regex(first.out, /created ClusterRole otherwise-reader/);
  const second = await serin(['tick', '--repo', repo, '--budget', '0s', '-o', 'json']);
  t.is(JSON.parse(second.out.trim().split('\n').at(-1) ?? '').writes, 0, second.out);
  const applied = await kubectl(
    '-n',
    'otherwise',
    'apply',
    '-f',
    join(repo, '..', 'releases/shop/deployment.yaml'),
    '-f',
    join(repo, '..', 'releases/shop/configmap.yaml'),
  );
  t.regex(applied, /configmap\/shop unchanged/);
  const third = await serin(['tick', '--repo', repo, '--budget', '0s', '-o', 'json']);
  t.is(JSON.parse(third.out.trim().split('\n').at(-1) ?? '').writes, 0, third.out);
});

test('given a field that the API server does not know, then it is named and the exit code is 3, as kubectl apply refuses it', async (t) => {
  await namespaced(t, 'unknown');
  const { repo, edit } = await repository(t, 'unknown');
  await edit('releases/shop/deployment.yaml', (text) =>
    text.replace('terminationGracePeriodSeconds: 10', 'terminationGracePeriodSeconds: 10\n      nodeSelectors: {a: b}'),
  );
  const { code, out } = await serin(['tick', '--repo', repo, '--budget', '3s']);
  t.is(code, 3);
  t.regex(out, /unknown field .*nodeSelectors/);
});

test('given a release.yaml with three mistakes, then three errors name their places, the exit code is 2, and the cluster is not asked anything', async (t) => {
  const { repo, edit } = await repository(t, 'mistakes');
  await edit('releases/shop/release.yaml', (text) =>
    text.replace('weight: 50', 'weight: 150').replace('hold: 3s}]', 'hold: soon}]').replace('[errors]', '[erors]'),
  );
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const kubeconfig = join(repo, 'kubeconfig');
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'x', user: {} }],
  };
  await writeFile(kubeconfig, JSON.stringify(file));
  for (const command of ['tick', 'plan', 'status']) {
    const { code, err } = await serin([command, '--repo', repo], { KUBECONFIG: kubeconfig });
    t.is(code, 2, command);
    const lines = err.split('\n').filter((line) => /^releases\/shop\/release\.yaml:\d+:\d+: expected .+, found .+/.test(line));
    t.is(lines.length, 3, err);
  }
  t.is(connections, 0);
});

test('given watch, when it is told to stop in the middle of a tick, then the tick is finished and the exit code is 0', async (t) => {
  await namespaced(t, 'watching');
  const { repo } = await repository(t, 'watching');
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'watch', '--repo', repo, '--every', '2s', '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let out = '';
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  await new Promise<void>((created) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      const first = !out.includes('"created"');
      out += chunk.toString();
      if (first && out.includes('"created"')) created();
    });
  });
  child.kill('SIGTERM');
  t.is(await ended, 0);
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; object?: string });
  t.true(
    events.some((e) => e.event === 'created' && e.object === 'HTTPRoute watching/shop'),
    'the last object of the plan was written',
  );
});

test('given words that serin does not know, then the usage is told and the exit code is 2', async (t) => {
  for (const args of [['tock'], ['tick', '--budget', 'soon'], ['plan', '-o', 'xml'], ['tick', 'now'], ['tick', '--nope']]) {
    const { code, err } = await serin(args);
    t.is(code, 2, args.join(' '));
    t.regex(err, /E_USAGE/);
  }
  t.is((await serin(['--help'])).code, 0);
});
