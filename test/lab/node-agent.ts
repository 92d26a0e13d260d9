import { createServer } from 'node:http';
import type { KubeObject } from '../../src/objects.ts';
import { HOST, PORTS, podAddress } from './addresses.ts';
import type { Api } from './api.ts';
import { PodRun } from './pod-run.ts';
import { type Pod, timestamp } from './pod-types.ts';

const NODE = 'lab';

/**
 * The lab's one node: takes every pod that has none, and runs each as a real HTTP server on an address of its own, in this process.
 * Also serves the pods' addresses as Prometheus' http_sd wants them, on {@link PORTS}.targets at /targets.
 */
export async function startNodeAgent(api: Api, signal: AbortSignal): Promise<void> {
  await register(api);
  const runs = new Map<string, PodRun>();
  let addresses = 0;
  const changed = (object: KubeObject) => {
    const pod = object as Pod;
    const uid = pod.metadata.uid as string;
    const run = runs.get(uid);
    if (run !== undefined) return run.update(pod);
    if (pod.spec.nodeName === undefined) return void bind(api, pod);
    if (pod.spec.nodeName !== NODE || isOver(pod)) return void 0;
    const started = new PodRun(api, pod, podAddress(addresses++));
    runs.set(uid, started);
    return started.update(pod);
  };
  const gone = ({ metadata }: KubeObject) => {
    runs.get(metadata.uid as string)?.stop();
    runs.delete(metadata.uid as string);
  };
  void api.follow('/api/v1/pods', { changed, gone }, signal);
  serveTargets(runs, signal);
}

function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

async function register(api: Api): Promise<void> {
  const labels = { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  await api.send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE, labels } });
  // Admission taints every new node as not ready, and nobody is there who would lift it.
  await api.send('PATCH', `/api/v1/nodes/${NODE}`, { spec: { taints: null } }, 'merge-patch');
  const size = { cpu: '512', memory: '2Ti', pods: '10000', 'ephemeral-storage': '1Ti' };
  const since = timestamp();
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'LabNode', message: 'the lab runs pods', lastHeartbeatTime: since, lastTransitionTime: since },
  ];
  const nodeInfo = { kubeletVersion: 'serin-lab', operatingSystem: 'linux', architecture: 'amd64' };
  const status = { nodeInfo, capacity: size, allocatable: size, conditions, addresses: [{ type: 'InternalIP', address: HOST }] };
  await api.send('PATCH', `/api/v1/nodes/${NODE}/status`, { status }, 'strategic-merge-patch');
}

/** What a scheduler does. A pod that is bound or gone by now needs nothing. */
async function bind(api: Api, pod: Pod): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, uid }, target: { apiVersion: 'v1', kind: 'Node', name: NODE } };
  await api.send('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding).catch(() => undefined);
}

function serveTargets(runs: ReadonlyMap<string, PodRun>, signal: AbortSignal): void {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([...runs.values()].flatMap(targetsOf)));
  });
  server.listen(PORTS.targets, HOST);
  signal.addEventListener('abort', () => server.close(), { once: true });
}

/** One target for each container with ports: its port named metrics, else its first. All ports of a container share their counters. */
function targetsOf(run: PodRun): object[] {
  if (!run.scraped) return [];
  const { metadata, spec } = run.pod;
  const labels = Object.fromEntries(
    Object.entries(metadata.labels ?? {}).map(([name, value]) => [`label_${name.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`, value]),
  );
  return spec.containers.flatMap(({ name, ports = [] }) => {
    const port = (ports.find((one) => one.name === 'metrics') ?? ports[0])?.containerPort;
    if (port === undefined) return [];
    const own = { namespace: metadata.namespace, pod: metadata.name, container: name };
    return [{ targets: [`${run.address}:${port}`], labels: { ...labels, ...own } }];
  });
}
