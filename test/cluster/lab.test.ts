import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { type Counts, load, startLoad } from '../lab/load.ts';

const run = promisify(execFile);
const gateway = process.env['SERIN_LAB_GATEWAY'] ?? '';

test.before('it runs inside the lab', (t) => {
  if (!process.env['SERIN_LAB']) t.fail("these tests run inside the lab: npm run lab -- exec ava 'test/cluster/**'");
});

async function kubectl(namespace: string, ...args: readonly string[]): Promise<string> {
  return (await run('kubectl', ['--namespace', namespace, ...args], { timeout: 40_000 })).stdout;
}

async function apply(namespace: string, ...objects: readonly object[]): Promise<string> {
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const child = run('kubectl', ['--namespace', namespace, 'apply', '--filename', '-'], { timeout: 40_000 });
  child.child.stdin?.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [space, ...objects] }));
  return (await child).stdout;
}

type Env = Readonly<Record<string, string>>;

function deployment(name: string, image: string, replicas = 1, env: Env = {}): object {
  const container = { name: 'web', image, ...variables(env), ports: [{ containerPort: 8080, name: 'http' }] };
  const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template },
  };
}

function service(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 'http' }] },
  };
}

/** Each test's own host keeps the tests apart. */
function route(name: string, weights: Readonly<Record<string, number>>): object {
  const backendRefs = Object.entries(weights).map(([backend, weight]) => ({ name: backend, port: 80, weight }));
  const spec = { parentRefs: [{ name: 'lab', namespace: 'default' }], hostnames: [`${name}.example`], rules: [{ backendRefs }] };
  return { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name }, spec };
}

function job(name: string, env: Env): object {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'job', image: 'example/job:1', ...variables(env) }] };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template: { spec } } };
}

/** Nothing for no variables: the API server drops an empty list, and kubectl would send it each time. */
function variables(env: Env): object {
  const list = Object.entries(env).map(([name, value]) => ({ name, value }));
  return list.length === 0 ? {} : { env: list };
}

/** Asks until the answer fits. @throws Error with the last answer after 20 s */
async function eventually<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (Date.now() > end) throw new Error(`not within 20 s: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function total(counts: Counts, version: string): number {
  const { ok, failed } = counts.byVersion[version] ?? { ok: 0, failed: 0 };
  return ok + failed;
}

test('given a Deployment, when kubectl applies it, then rollout status, get and describe tell of running pods', async (t) => {
  t.regex(await apply('lab-kubectl', deployment('web', 'example/shop:1.0', 3)), /deployment.apps\/web created/);
  t.regex(await kubectl('lab-kubectl', 'rollout', 'status', 'deployment/web', '--timeout=30s'), /successfully rolled out/);
  const pods = await kubectl('lab-kubectl', 'get', 'pods', '--no-headers');
  t.is(pods.match(/1\/1\s+Running/g)?.length, 3);
  const described = await kubectl('lab-kubectl', 'describe', 'pods');
  t.regex(described, /IP: +10\.244\./);
  t.regex(described, /Ready +True/);
  t.regex(await apply('lab-kubectl', deployment('web', 'example/shop:1.0', 3)), /deployment.apps\/web unchanged/);
});

test('given weights 80 and 20, when 2,000 requests come, then they are served so within four standard deviations', async (t) => {
  await apply(
    'lab-weights',
    ...['old', 'new'].map(service),
    deployment('old', 'example/shop:1.0', 2),
    deployment('new', 'example/shop:2.0'),
    route('weights', { old: 80, new: 20 }),
  );
  await kubectl('lab-weights', 'rollout', 'status', 'deployment/old', 'deployment/new', '--timeout=30s');
  const url = `${gateway}/some/path?q=1`;
  const host = 'weights.example';
  await eventually(
    () => load({ url, host, perSecond: 50, seconds: 0.2 }),
    ({ failed }) => failed === 0,
  );
  const counts = await load({ url, host, perSecond: 400, seconds: 5 });
  t.is(counts.failed, 0);
  t.true(counts.sent > 1500, `${counts.sent} sent`);
  const share = total(counts, '2.0') / counts.sent;
  t.true(Math.abs(share - 0.2) < 4 * Math.sqrt((0.2 * 0.8) / counts.sent), `${share}`);
});

test('given a route, then its status names our controller, and ResolvedRefs is False until its Service is there', async (t) => {
  await apply('lab-status', route('status', { later: 1 }));
  const state = async () => {
    const [parent] = JSON.parse(await kubectl('lab-status', 'get', 'httproute', 'status', '--output=json')).status?.parents ?? [];
    const conditions: { type: string; status: string; reason: string; observedGeneration: number }[] = parent?.conditions ?? [];
    return [
      parent?.controllerName,
      ...conditions.map(({ type, status, reason, observedGeneration }) => `${type} ${status} ${reason} ${observedGeneration}`),
    ];
  };
  const before = await eventually(state, (answer) => answer.length === 3);
  t.deepEqual(before, ['serin.dev/lab-gateway', 'Accepted True Accepted 1', 'ResolvedRefs False BackendNotFound 1']);
  const broken = await load({ url: gateway, host: 'status.example', perSecond: 20, seconds: 0.2 });
  t.is(broken.failed, broken.sent);
  await apply('lab-status', service('later'));
  const after = await eventually(state, (answer) => answer[2] !== before[2]);
  t.is(after[2], 'ResolvedRefs True ResolvedRefs 1');
});

test('given traffic, when a Deployment rolls over to another version, then not one request fails', async (t) => {
  await apply('lab-roll', service('web'), deployment('web', 'example/shop:1.0', 3, { LATENCY_MS: '100' }), route('roll', { web: 1 }));
  await kubectl('lab-roll', 'rollout', 'status', 'deployment/web', '--timeout=30s');
  await eventually(
    () => load({ url: gateway, host: 'roll.example', perSecond: 50, seconds: 0.2 }),
    ({ failed }) => failed === 0,
  );
  const end = new AbortController();
  const traffic = startLoad({ url: gateway, host: 'roll.example', perSecond: 100, signal: end.signal });
  await kubectl('lab-roll', 'set', 'image', 'deployment/web', 'web=example/shop:1.1');
  await kubectl('lab-roll', 'rollout', 'status', 'deployment/web', '--timeout=30s');
  await eventually(
    () => kubectl('lab-roll', 'get', 'pods', '--no-headers'),
    (pods) => !pods.includes('Terminating'),
  );
  end.abort();
  const counts = await traffic.done;
  t.is(counts.failed, 0);
  t.true(total(counts, '1.0') > 0 && total(counts, '1.1') > 0, JSON.stringify(counts));
});

test('given Jobs, then one that exits with 0 completes and one that exits with 3 fails', async (t) => {
  await apply('lab-jobs', job('good', { RUN_SECONDS: '0.5' }), job('bad', { EXIT_CODE: '3' }));
  await kubectl('lab-jobs', 'wait', '--for=condition=Complete', 'job/good', '--timeout=20s');
  await kubectl('lab-jobs', 'wait', '--for=condition=Failed', 'job/bad', '--timeout=20s');
  const code = await kubectl(
    'lab-jobs',
    'get',
    'pods',
    '--selector=job-name=bad',
    '--output=jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}',
  );
  t.is(code, '3');
});

const waitsFor = test.macro(async (t, namespace: string, image: string, env: Env, reason: RegExp) => {
  await apply(namespace, deployment('web', image, 1, env));
  const path = '--output=jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}';
  t.regex(
    await eventually(
      () => kubectl(namespace, 'get', 'pods', path),
      (answer) => reason.test(answer),
    ),
    reason,
  );
});

test(
  'given an image that cannot be pulled, then its pod waits with ErrImagePull',
  waitsFor,
  'lab-pull',
  'example/missing:1',
  {},
  /ErrImagePull/,
);
test('given CRASH, then its pod waits in CrashLoopBackOff', waitsFor, 'lab-crash', 'example/shop:1', { CRASH: '0.2' }, /CrashLoopBackOff/);

test('given env from a ConfigMap that is missing, when it comes, then the pod starts with its value', async (t) => {
  const ref = { name: 'VERSION', valueFrom: { configMapKeyRef: { name: 'settings', key: 'version' } } };
  const containers = [{ name: 'web', image: 'example/shop:1', env: [ref], ports: [{ containerPort: 8080 }] }];
  await apply('lab-config', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } });
  const reason = '--output=jsonpath={.status.containerStatuses[0].state.waiting}';
  const waiting = await eventually(
    () => kubectl('lab-config', 'get', 'pod', 'web', reason),
    (answer) => answer.includes('CreateContainerConfigError'),
  );
  t.regex(waiting, /configmap \\"settings\\" not found/);
  await kubectl('lab-config', 'create', 'configmap', 'settings', '--from-literal=version=blue');
  await kubectl('lab-config', 'wait', '--for=condition=Ready', 'pod/web', '--timeout=20s');
  const address = await kubectl('lab-config', 'get', 'pod', 'web', '--output=jsonpath={.status.podIP}');
  const answer = await fetch(`http://${address}:8080/`);
  t.is(answer.headers.get('x-version'), 'blue');
  t.deepEqual(await answer.json(), { version: 'blue', pod: 'web' });
});

test('given a pod that fails half of its requests, then Prometheus has its counts, with namespace, pod and labels', async (t) => {
  await apply('lab-metrics', service('web'), deployment('web', 'example/shop:1', 1, { ERROR_RATE: '0.5' }), route('metrics', { web: 1 }));
  await kubectl('lab-metrics', 'rollout', 'status', 'deployment/web', '--timeout=30s');
  const sent = await load({ url: gateway, host: 'metrics.example', perSecond: 100, seconds: 2 });
  const query = encodeURIComponent('http_requests_total{namespace="lab-metrics",label_app="web",pod=~"web-.+"}');
  const ask = async () => {
    const answer = (await (await fetch(`${process.env['SERIN_LAB_PROMETHEUS']}/api/v1/query?query=${query}`)).json()) as {
      data: { result: { metric: { code: string }; value: [number, string] }[] };
    };
    return Object.fromEntries(answer.data.result.map(({ metric, value }) => [metric.code, Number(value[1])]));
  };
  const served = total(sent, '1');
  const counts = await eventually(ask, (codes) => (codes['200'] ?? 0) + (codes['500'] ?? 0) === served);
  t.true((counts['500'] ?? 0) > served / 4, JSON.stringify(counts));
});
