import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import type { KubeObject } from '../../src/objects.ts';
import { HOST, hostUrl, PORTS } from './addresses.ts';
import { type Api, apiClient } from './api.ts';
import type { Start } from './processes.ts';

export interface ControlPlane {
  readonly api: Api;
  readonly kubeconfig: string;
}

/**
 * Starts etcd, the API server and the controller manager with their data below a folder, and the Gateway API's kinds on them.
 * @param run an empty folder, best on a tmpfs: nothing is synced to disk
 */
export async function startControlPlane(run: string, start: Start): Promise<ControlPlane> {
  const token = randomBytes(24).toString('hex');
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(run, 'sa.key'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(run, 'sa.pub'), pair.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(join(run, 'tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });

  start('etcd', etcdArgs(run));
  start('kube-apiserver', apiServerArgs(run));
  const ca = await certificate(join(run, 'pki', 'apiserver.crt'));
  const kubeconfig = join(run, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText(ca, token), { mode: 0o600 });
  const api = apiClient(hostUrl('api'), token, ca);
  await until(async () => api.send('GET', '/api/v1/namespaces/default'), 30);
  start('kube-controller-manager', controllerManagerArgs(run, kubeconfig));
  await installCrds(api);
  return { api, kubeconfig };
}

function etcdArgs(run: string): readonly string[] {
  const url = `http://127.0.0.1:${PORTS.etcd}`;
  const peer = 'http://127.0.0.1:2380';
  return [
    '--name=lab',
    `--data-dir=${join(run, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=lab=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

function apiServerArgs(run: string): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${PORTS.etcd}`,
    // Without a default route the API server cannot find an address by itself.
    `--bind-address=${HOST}`,
    `--advertise-address=${HOST}`,
    `--secure-port=${PORTS.api}`,
    `--cert-dir=${join(run, 'pki')}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(run, 'tokens.csv')}`,
    `--service-account-key-file=${join(run, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(run, 'sa.key')}`,
    `--service-account-issuer=${hostUrl('api')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--endpoint-reconciler-type=none',
    // The node agent mounts no tokens, so pods need not wait for their service account.
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

function controllerManagerArgs(run: string, kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    // The node sends no heartbeats, so nobody may take it for dead.
    '--controllers=*,-node-lifecycle-controller',
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(run, 'pki-controller-manager')}`,
    `--service-account-private-key-file=${join(run, 'sa.key')}`,
    // Thrice as often as usual: nobody waits 15 s for an autoscaler in a test.
    '--horizontal-pod-autoscaler-sync-period=5s',
    '--profiling=false',
  ];
}

/** The API server signs a certificate for itself when it is given none; the file carries the authority's as well. */
async function certificate(path: string): Promise<string> {
  await until(async () => {
    if (!existsSync(path) || !readFileSync(path, 'utf8').endsWith('-----END CERTIFICATE-----\n')) throw new Error(`no ${path} yet`);
  }, 30);
  return readFileSync(path, 'utf8');
}

function kubeconfigText(ca: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [{ name: 'lab', cluster: { server: hostUrl('api'), 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'admin', namespace: 'default' } }],
  });
}

async function installCrds(api: Api): Promise<void> {
  const folder = join(import.meta.dirname, 'crds');
  const crds = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => load(readFileSync(join(folder, file), 'utf8')) as KubeObject & { spec: { group: string } });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await Promise.all(crds.map((crd) => api.send('POST', path, crd)));
  // Established is said a little before the kind is served, so the kinds themselves are asked for.
  const plurals = crds.map((crd) => crd.metadata.name.split('.')[0]);
  await Promise.all(
    plurals.map((plural) => until(() => api.send('GET', `/apis/gateway.networking.k8s.io/${servedVersion(plural)}/${plural}`), 20)),
  );
}

function servedVersion(plural: string | undefined): string {
  return plural === 'referencegrants' ? 'v1beta1' : 'v1';
}

/** Tries again each 50 ms. @throws what it last threw, once the seconds have passed */
export async function until<T>(attempt: () => Promise<T>, atMost: number): Promise<T> {
  const end = performance.now() + atMost * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() > end) throw cause;
      await sleep(50);
    }
  }
}
