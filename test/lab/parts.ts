import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { build } from './build.ts';
import { cacheFolder, digest } from './cache.ts';

export type PartName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'prometheus';

/** One program of the lab: which Go package it is, how it says its version, and which versions will do. */
export interface Part {
  readonly name: PartName;
  /** Folder below test/lab/parts with the go.mod that pins it. */
  readonly module: string;
  readonly package: string;
  readonly flags: readonly string[];
  /** Arguments that make it print its version, and where the version stands in what it prints. */
  readonly asks: readonly string[];
  readonly says: RegExp;
  readonly accepts: (version: string) => boolean;
  /** Seconds it takes to build on two cores from an empty cache, modules' download included: told until this machine knows better. */
  readonly likely: number;
}

export type PartEvent =
  | { readonly event: 'found'; readonly part: PartName; readonly path: string }
  /** Sent each second while it builds, or while another process does. */
  | {
      readonly event: 'building';
      readonly part: PartName;
      readonly seconds: number;
      readonly likely: number;
      readonly by: 'us' | 'another process';
    }
  | { readonly event: 'built'; readonly part: PartName; readonly path: string; readonly seconds: number };

const folder = join(import.meta.dirname, 'parts');
const pinned = (module: string, required: string): string =>
  new RegExp(`^\\s*${required.replaceAll('.', '\\.')} v(\\S+)`, 'm').exec(readFileSync(join(folder, module, 'go.mod'), 'utf8'))?.[1] ??
  'unknown';

const kubernetes = pinned('control-plane', 'k8s.io/kubernetes');
const etcd = pinned('control-plane', 'go.etcd.io/etcd/server/v3');
const [major, minor] = kubernetes.split('.');
// Clients parse the server's version, so a build from a module must be told its own.
const stamp = [`gitVersion=v${kubernetes}`, `gitMajor=${major}`, `gitMinor=${minor}`]
  .map((pair) => `-X k8s.io/component-base/version.${pair}`)
  .join(' ');
const controlPlane = {
  module: 'control-plane',
  flags: ['-trimpath', `-ldflags=-s -w ${stamp}`],
  accepts: (version: string) => version === kubernetes,
};
const plain = { asks: ['--version'], says: /Kubernetes v(\S+)/ };

export const PARTS: readonly Part[] = [
  {
    ...controlPlane,
    name: 'etcd',
    package: 'go.etcd.io/etcd/server/v3',
    asks: ['--version'],
    says: /etcd Version: (\S+)/,
    accepts: (version) => version === etcd,
    likely: 90,
  },
  { ...controlPlane, ...plain, name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver', likely: 180 },
  { ...controlPlane, ...plain, name: 'kube-controller-manager', package: 'k8s.io/kubernetes/cmd/kube-controller-manager', likely: 55 },
  {
    ...controlPlane,
    name: 'kubectl',
    package: 'k8s.io/kubernetes/cmd/kubectl',
    asks: ['version', '--client', '--output=json'],
    says: /"gitVersion": "v([^"]+)"/,
    likely: 25,
  },
  {
    name: 'prometheus',
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    // Prometheus numbers its modules 0.MMmm.p: v0.315.0 is Prometheus 3.15.0. Only file and HTTP discovery are built.
    flags: ['-trimpath', '-tags=remove_all_sd', '-ldflags=-s -w -X github.com/prometheus/common/version.Version=3.15.0'],
    asks: ['--version'],
    says: /prometheus, version (\d+\.\d+)/,
    accepts: (version) => Number(version.split('.')[0]) > 2 || Number(version.split('.')[1]) >= 40,
    likely: 110,
  },
];

export const CONTROL_PLANE: readonly PartName[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

export function part(name: PartName): Part {
  return PARTS.find((one) => one.name === name) as Part;
}

export function sourceFolder({ module }: Part): string {
  return join(folder, module);
}

/** Where the part lies once it is built: named by all that decides what is built. */
export function cachedPath(one: Part): string {
  const read = (file: string) => readFileSync(join(sourceFolder(one), file), 'utf8');
  const key = digest(read('go.mod'), read('go.sum'), one.flags.join(' '), process.platform, process.arch);
  return join(cacheFolder(), key, one.name);
}

/** The part as this machine has it (KUBEBUILDER_ASSETS, then PATH, each only in a version that will do), else its place in the cache, built or not. */
export function partPath(name: PartName): string {
  const one = part(name);
  return installed(one) ?? cachedPath(one);
}

/**
 * Finds the parts, and builds those that are nowhere, one after the other; a part that another process builds is waited for.
 * @throws SerinError E_LAB_GO, E_LAB_DISK, E_LAB_BUILD
 */
export async function ensureParts(
  names: readonly PartName[],
  onEvent: (event: PartEvent) => void,
): Promise<Readonly<Record<string, string>>> {
  const paths: Record<string, string> = {};
  for (const name of names) {
    const path = partPath(name);
    if (executable(path)) onEvent({ event: 'found', part: name, path });
    else await build(part(name), path, onEvent);
    paths[name] = path;
  }
  return paths;
}

export function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installed(one: Part): string | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const folders = [...(assets ? [assets] : []), ...(process.env['PATH'] ?? '').split(delimiter)];
  const path = folders.map((at) => join(at, one.name)).find((candidate) => executable(candidate) && answers(one, candidate));
  // The file itself: within a lab PATH holds links that a second lab would hide behind its own.
  return path && realpathSync(path);
}

function answers({ asks, says, accepts }: Part, path: string): boolean {
  const { stdout, stderr } = spawnSync(path, asks, { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'pipe'] });
  const version = says.exec(`${stdout}${stderr}`)?.[1];
  return version !== undefined && accepts(version);
}
