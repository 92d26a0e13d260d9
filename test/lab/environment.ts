import { at } from '../../src/objects.ts';
import { type Api, ApiError } from './api.ts';
import type { Environment } from './behaviour.ts';
import type { ContainerSpec, EnvVar, KeyRef, Pod } from './pod-types.ts';

/** A container cannot be started as its pod asks: worded as kubelet words it. */
export class ConfigError extends Error {}

type Source = 'configmap' | 'secret';

/**
 * A container's environment: envFrom first, then env, later names winning, as kubelet resolves them when the container starts.
 * @throws ConfigError when a ConfigMap, a Secret or a key is missing that is not optional
 */
export async function resolveEnvironment(api: Api, pod: Pod, address: string, container: ContainerSpec): Promise<Environment> {
  const env: Record<string, string> = {};
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    if (ref === undefined) continue;
    const data = await read(api, configMapRef ? 'configmap' : 'secret', pod, ref.name, ref.optional);
    for (const [key, value] of Object.entries(data ?? {})) env[prefix + key] = value;
  }
  for (const entry of container.env ?? []) {
    const value = await valueOf(api, pod, address, entry, env);
    if (value !== undefined) env[entry.name] = value;
  }
  return env;
}

/** @throws ConfigError when a volume names a ConfigMap or a Secret that is missing */
export async function needVolumes(api: Api, pod: Pod): Promise<void> {
  for (const { configMap, secret } of pod.spec.volumes ?? []) {
    if (configMap) await read(api, 'configmap', pod, configMap.name, configMap.optional);
    if (secret) await read(api, 'secret', pod, secret.secretName, secret.optional);
  }
}

async function valueOf(api: Api, pod: Pod, address: string, { value, valueFrom }: EnvVar, so: Environment): Promise<string | undefined> {
  if (valueFrom?.configMapKeyRef) return key(api, 'configmap', pod, valueFrom.configMapKeyRef);
  if (valueFrom?.secretKeyRef) return key(api, 'secret', pod, valueFrom.secretKeyRef);
  if (valueFrom?.fieldRef) return field(pod, address, valueFrom.fieldRef.fieldPath);
  return (value ?? '').replaceAll(/\$\(([^)]+)\)/g, (text, name: string) => so[name] ?? text);
}

function field(pod: Pod, address: string, path: string): string {
  if (path === 'status.podIP') return address;
  const [, map, name] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  const found = map !== undefined && name !== undefined ? at(pod, 'metadata', map, name) : at(pod, ...path.split('.'));
  return typeof found === 'string' ? found : '';
}

async function key(api: Api, source: Source, pod: Pod, ref: KeyRef): Promise<string | undefined> {
  const data = await read(api, source, pod, ref.name, ref.optional);
  const value = data?.[ref.key];
  if (value !== undefined || ref.optional) return value;
  const kind = source === 'configmap' ? 'ConfigMap' : 'Secret';
  throw new ConfigError(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace}/${ref.name}`);
}

async function read(api: Api, source: Source, pod: Pod, name: string, optional = false): Promise<Environment | undefined> {
  try {
    const object = await api.send('GET', `/api/v1/namespaces/${pod.metadata.namespace}/${source}s/${name}`);
    const data = (object['data'] ?? {}) as Environment;
    if (source === 'configmap') return data;
    return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, Buffer.from(value, 'base64').toString()]));
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 404) throw cause;
    if (optional) return undefined;
    throw new ConfigError(`${source} "${name}" not found`);
  }
}
