import { setTimeout as sleep } from 'node:timers/promises';
import { at } from '../../src/objects.ts';
import type { Cluster } from '../../src/ports.ts';
import { observe } from '../../src/routers/gateway-api.ts';
import type { Counts } from '../lab/load.ts';
import { now, type Tell, type VersionSample } from './events.ts';
import { NAMESPACE } from './shop.ts';

/** Pods come and go in between, so they are counted twice as often as they are told of. */
const EVERY_MS = 500;

export interface Peaks {
  podsAtPeak: number;
  podsAtPeakWithEnding: number;
}

/** Looks at pods, weight and traffic until the signal, and tells of them each second. */
export async function sample(cluster: Cluster, counts: () => Counts | undefined, tell: Tell, signal: AbortSignal): Promise<Peaks> {
  const peaks: Peaks = { podsAtPeak: 0, podsAtPeakWithEnding: 0 };
  let before: Counts['byVersion'] = {};
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      const pods = await livePods(cluster, signal);
      peaks.podsAtPeak = Math.max(peaks.podsAtPeak, pods.filter((pod) => !pod.ending).length);
      peaks.podsAtPeakWithEnding = Math.max(peaks.podsAtPeakWithEnding, pods.length);
      if (round % 2 === 1) {
        const byVersion = structuredClone(counts()?.byVersion ?? {});
        tell({ time: now(), event: 'traffic', weight: await weightOf(cluster, signal), versions: versionsOf(pods, byVersion, before) });
        before = byVersion;
      }
    } catch {
      // A missed sample is missing from the picture, and nothing else.
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return peaks;
}

interface SeenPod {
  readonly version: string;
  readonly ready: boolean;
  readonly ending: boolean;
}

async function livePods(cluster: Cluster, signal: AbortSignal): Promise<SeenPod[]> {
  const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod' }, NAMESPACE, {}, signal);
  return pods.map((pod) => {
    const conditions = (at(pod, 'status', 'conditions') ?? []) as readonly { type: string; status: string }[];
    const ending = pod.metadata.deletionTimestamp !== undefined;
    return {
      version:
        String(at(pod, 'spec', 'containers', 0, 'image'))
          .split(':')
          .at(-1) ?? '',
      ready: !ending && conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
      ending,
    };
  });
}

async function weightOf(cluster: Cluster, signal: AbortSignal): Promise<number> {
  const ref = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', namespace: NAMESPACE, name: 'shop' };
  return observe(await cluster.get(ref, signal), { service: 'shop', canary: 'shop-canary' });
}

function versionsOf(pods: readonly SeenPod[], counts: Counts['byVersion'], before: Counts['byVersion']): Record<string, VersionSample> {
  const names = [...new Set([...pods.map((pod) => pod.version), ...Object.keys(counts)])].sort();
  return Object.fromEntries(
    names.map((name) => {
      const mine = pods.filter((pod) => pod.version === name && !pod.ending);
      const { ok = 0, failed = 0 } = counts[name] ?? {};
      const last = before[name] ?? { ok: 0, failed: 0 };
      return [
        name,
        {
          ready: mine.filter((pod) => pod.ready).length,
          pods: mine.length,
          requests: ok + failed,
          failed,
          perSecond: ok + failed - last.ok - last.failed,
          failedPerSecond: failed - last.failed,
        },
      ];
    }),
  );
}
