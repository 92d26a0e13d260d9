import type { Revision, Sha } from '../../../src/desired/types.ts';
import type { KubeObject } from '../../../src/objects.ts';
import type { Evidence, PlanStep, ReleasePlan, Request } from '../../../src/plan/types.ts';
import type { Observed, Version } from '../../../src/rollout/types.ts';
import { instant, percent, seconds } from '../../../src/units.ts';

export const stable: Version = { revision: '5c1f0c2d9e' as Revision, commit: '3f2a9c0d1e5b47a86f30c2d4e5f60718293a4b5c' as Sha };
export const candidate: Version = { revision: '81b7aa01c3' as Revision, commit: '9cd04e1f2a3b4c5d6e7f8091a2b3c4d5e6f70819' as Sha };

const side = (replicas: number, ready: number, revision: Revision) => ({ exists: replicas > 0, replicas, ready, revision });

export const observed: Observed = {
  workloads: [{ name: 'shop', size: 10, stable: side(9, 9, stable.revision), canary: side(1, 1, candidate.revision) }],
  weight: percent(10),
  proof: { is: 'proven' },
};

export const evidence: Evidence = {
  because: '10 % was entered: merging allows 50 %',
  stable,
  candidate,
  wave: 'all',
  weight: percent(10),
  nextWeight: percent(50),
  readings: [
    { verdict: 'pass', gate: 'errors', saw: '0.2 % of 4,120 requests, at most 2 %' },
    { verdict: 'wait', gate: 'latency', saw: '12 of 30 seconds seen', lookAgainIn: seconds(18) },
  ],
  observed: { here: observed },
  steps: [
    { weight: percent(10), hold: seconds(180), state: 'done' },
    { weight: percent(50), hold: seconds(600), state: 'now' },
    { weight: percent(100), hold: seconds(0), state: 'next' },
  ],
  changes: [
    {
      object: 'Deployment shop/shop',
      path: 'spec.template.spec.containers[name=shop].image',
      from: 'example.com/shop:1.0.0',
      to: 'example.com/shop:1.1.0',
    },
    { object: 'ConfigMap shop/shop', path: 'data.BANNER', from: undefined, to: 'two | words' },
  ],
};

export function request(
  kind: Request['kind'],
  of: Partial<Evidence> = {},
  files: Request['files'] = { 'releases/shop/rollout.yaml': 'text' },
): Request {
  return { kind, release: 'shop', branch: `serin/${kind}/shop--81b7aa01`, onto: candidate.commit, files, evidence: { ...evidence, ...of } };
}

const canaryPods: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop-canary', namespace: 'shop' } };
export const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys', namespace: 'shop' },
  data: { token: 'aHVudGVyMg==' },
};

export const steps: readonly PlanStep[] = [
  { do: 'create', cluster: 'here', object: canaryPods },
  {
    do: 'patch',
    cluster: 'here',
    ref: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'shop' },
    resourceVersion: '41',
    patch: { type: 'strategic', body: { spec: { replicas: 9 } } },
    differences: [{ path: 'spec.replicas', live: 12, desired: 9, manager: 'kubectl', time: '2026-11-20T14:02:11Z' }],
    cause: 'drift',
  },
  {
    do: 'patch',
    cluster: 'here',
    ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'shop' },
    resourceVersion: '42',
    patch: { type: 'strategic', body: { data: { 'shop.conf': 'a\nc\n' } } },
    differences: [{ path: 'data.shop.conf', live: 'a\nb\n', desired: 'a\nc\n' }],
    cause: 'change',
  },
  {
    do: 'delete',
    cluster: 'here',
    ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'old' },
    uid: 'u-1',
    because: 'Git has it no more',
  },
  { do: 'propose', request: request('advance') },
  { do: 'close', number: 7, branch: 'serin/advance/shop--5c1f0c2d', because: 'superseded' },
  {
    do: 'status',
    commit: candidate.commit,
    status: { context: 'serin/gates', state: 'pending', description: 'latency: 12 of 30 seconds seen' },
  },
];

export const plan: ReleasePlan = {
  release: 'shop',
  head: candidate,
  stable,
  decisions: { here: { to: 'wait', for: 'gate', because: 'latency: 12 of 30 seconds seen', lookAgainIn: seconds(18) } },
  observed: { here: observed },
  records: {
    here: {
      stable,
      candidate: {
        ...candidate,
        startedAt: instant('2026-11-20T14:00:00Z'),
        sizes: { shop: 10 },
        entered: [{ weight: percent(10), at: instant('2026-11-20T14:01:00Z') }],
      },
      closed: [],
      carried: [stable.revision],
    },
  },
  readings: evidence.readings,
  steps,
  again: seconds(18),
  otherwise: seconds(18),
  notes: ['Deployment shop/shop has no preStop hook: requests may be cut when its pods end'],
};

export const idle: ReleasePlan = {
  ...plan,
  head: stable,
  decisions: { here: { to: 'keep', because: 'everything is as Git has it' } },
  records: { here: { stable, closed: [], carried: [stable.revision] } },
  readings: [],
  steps: [],
  again: 'next run',
  otherwise: 'next run',
  notes: [],
};
