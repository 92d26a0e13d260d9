import test from 'ava';
import { encodeLastApplied } from '../../../src/merge/last-applied.ts';
import { threeWay } from '../../../src/merge/three-way.ts';
import { type KubeObject, SERIN } from '../../../src/objects.ts';
import { schemaFor } from './schemas.ts';

type Part = Readonly<Record<string, unknown>>;
interface Given {
  readonly base?: KubeObject;
  readonly desired: KubeObject;
  readonly live: KubeObject;
}
const deployment = (spec: Part, metadata: Part = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
  spec,
});
const pod = (spec: Part) => deployment({ template: { spec } });
const app = (container: Part) => pod({ containers: [{ name: 'app', image: 'app:1', ...container }] });
const service = (ports: readonly Part[]): KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'dns' }, spec: { ports } });
const widget = (spec: Part): KubeObject => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec });

/** Live carries the annotation of what is desired, so that only the fields under test can differ. */
function merge({ base, desired, live }: Given) {
  const annotations = { ...live.metadata.annotations, [SERIN.lastApplied]: encodeLastApplied(desired) };
  const annotated = { ...live, metadata: { ...live.metadata, annotations } };
  return threeWay({ base: base ?? desired, desired, overlaid: desired, live: annotated, schema: schemaFor(desired) });
}

const changesNothing = test.macro((t, given: Given) => {
  const merged = merge(given);
  t.deepEqual(merged.patch, undefined);
  t.deepEqual(merged.differences, []);
});
const sends = test.macro((t, given: Given, patch: Part, spec: Part) => {
  const merged = merge(given);
  t.deepEqual<unknown, unknown>(merged.patch?.body, patch);
  t.deepEqual<unknown, unknown>(merged.result.spec, spec);
  t.false(merged.bookkeepingOnly);
});

// Differences that kubectl apply patches on every run, though nothing changes.
const injected = { name: 'proxy', image: 'proxy:1' };
test('given a container that only live has, then nothing is sent', changesNothing, {
  desired: pod({ containers: [{ name: 'app', image: 'app:1' }] }),
  live: pod({ containers: [{ name: 'app', image: 'app:1' }, injected] }),
});
test('given containers in another order, then nothing is sent', changesNothing, {
  desired: pod({ containers: [{ name: 'a' }, { name: 'b' }] }),
  live: pod({ containers: [{ name: 'b' }, { name: 'a' }] }),
});
test('given an environment variable that only live has, then nothing is sent', changesNothing, {
  desired: app({ env: [{ name: 'A', value: '1' }] }),
  live: app({ env: [{ name: 'A', value: '1' }, { name: 'INJ' }] }),
});
test('given a finalizer that only live has, then nothing is sent', changesNothing, {
  desired: deployment({}, { finalizers: ['a'] }),
  live: deployment({}, { finalizers: ['a', 'ext'] }),
});
test('given cpu 1000m where live says 1, then nothing is sent', changesNothing, {
  desired: app({ resources: { limits: { cpu: '1000m', memory: '1Gi' } } }),
  live: app({ resources: { limits: { cpu: '1', memory: '1024Mi' } } }),
});
test('given a cpu quantity as a number, then nothing is sent', changesNothing, {
  desired: app({ resources: { requests: { cpu: 2 } } }),
  live: app({ resources: { requests: { cpu: '2' } } }),
});
test('given stringData that live has as data, then nothing is sent', changesNothing, {
  desired: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'héllo' } },
  live: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: 'aMOpbGxv' }, type: 'Opaque' },
});
test('given a default that the server filled into a list item of a custom resource, then nothing is sent', changesNothing, {
  desired: widget({ rules: [{ name: 'x' }] }),
  live: widget({ rules: [{ name: 'x', weight: 1 }] }),
});
test('given a default that the server filled into an item of a list that is replaced whole, then nothing is sent', changesNothing, {
  desired: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'n' },
    spec: { ingress: [{ ports: [{ port: 80 }] }] },
  },
  live: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'n' },
    spec: { ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }], policyTypes: ['Ingress'] },
  },
});
test('given an environment variable with an empty value, which the server leaves out, then nothing is sent', changesNothing, {
  desired: app({ env: [{ name: 'A', value: '' }] }),
  live: app({ env: [{ name: 'A' }] }),
});
test('given empty maps and lists that the server leaves out, then nothing is sent', changesNothing, {
  desired: pod({ nodeSelector: {}, volumes: [], containers: [{ name: 'app', args: [] }] }),
  live: pod({ containers: [{ name: 'app' }] }),
});
test('given a null in a custom resource that was there before, then nothing is sent', changesNothing, {
  desired: widget({ size: null }),
  live: widget({ size: 2 }),
});
test('given a strategy whose defaults the server filled in, then nothing is sent', changesNothing, {
  desired: deployment({ strategy: { type: 'RollingUpdate' } }),
  live: deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } } }),
});

// What is sent, and what comes of it.
test('given a finalizer that Git gave up, then it alone is removed', (t) => {
  const merged = merge({
    base: deployment({}, { finalizers: ['a', 'b'] }),
    desired: deployment({}, { finalizers: ['a'] }),
    live: deployment({}, { finalizers: ['a', 'b', 'ext'] }),
  });
  t.deepEqual<unknown, unknown>(merged.patch?.body, {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['b'], '$setElementOrder/finalizers': ['a', 'ext'] },
  });
  t.deepEqual<unknown, unknown>(merged.result.metadata.finalizers, ['a', 'ext']);
});
test(
  'given a strategy that becomes Recreate, then the settings of the old one go',
  sends,
  {
    base: deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }),
    desired: deployment({ strategy: { type: 'Recreate' } }),
    live: deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }),
  },
  { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: null, type: 'Recreate' } } },
  { strategy: { type: 'Recreate' } },
);
test(
  'given Recreate where the server had filled in RollingUpdate, then what it filled in goes too',
  sends,
  {
    base: deployment({}),
    desired: deployment({ strategy: { type: 'Recreate' } }),
    live: deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } } }),
  },
  { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: null, type: 'Recreate' } } },
  { strategy: { type: 'Recreate' } },
);
test(
  'given a volume that changes its kind under the same name, then the old kind goes',
  sends,
  {
    base: pod({ volumes: [{ name: 'v', emptyDir: {} }] }),
    desired: pod({ volumes: [{ name: 'v', configMap: { name: 'c' } }] }),
    live: pod({ volumes: [{ name: 'v', emptyDir: {} }] }),
  },
  {
    spec: {
      template: {
        spec: {
          '$setElementOrder/volumes': [{ name: 'v' }],
          volumes: [{ $retainKeys: ['configMap', 'name'], name: 'v', emptyDir: null, configMap: { name: 'c' } }],
        },
      },
    },
  },
  { template: { spec: { volumes: [{ name: 'v', configMap: { name: 'c' } }] } } },
);
test(
  'given a Service port with another number, then the new item has nothing of the old',
  sends,
  {
    base: service([{ name: 'http', port: 80 }]),
    desired: service([{ name: 'http', port: 81 }]),
    live: service([{ name: 'http', port: 80, targetPort: 80, nodePort: 30080, protocol: 'TCP' }]),
  },
  {
    spec: {
      '$setElementOrder/ports': [{ port: 81 }],
      ports: [
        { name: 'http', port: 81 },
        { $patch: 'delete', port: 80 },
      ],
    },
  },
  { ports: [{ name: 'http', port: 81 }] },
);
test(
  'given an env list that Git emptied, then what others injected stays',
  sends,
  { base: app({ env: [{ name: 'A' }] }), desired: app({ env: [] }), live: app({ env: [{ name: 'A' }, { name: 'INJ' }] }) },
  {
    spec: {
      template: {
        spec: {
          '$setElementOrder/containers': [{ name: 'app' }],
          containers: [{ name: 'app', '$setElementOrder/env': [{ name: 'INJ' }], env: [{ $patch: 'delete', name: 'A' }] }],
        },
      },
    },
  },
  { template: { spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'INJ' }] }] } } },
);
test(
  'given an env list in another order, then the order of Git is restored, for one variable may use another',
  sends,
  { desired: app({ env: [{ name: 'A' }, { name: 'B' }] }), live: app({ env: [{ name: 'B' }, { name: 'INJ' }, { name: 'A' }] }) },
  {
    spec: {
      template: {
        spec: {
          '$setElementOrder/containers': [{ name: 'app' }],
          containers: [{ name: 'app', '$setElementOrder/env': [{ name: 'INJ' }, { name: 'A' }, { name: 'B' }] }],
        },
      },
    },
  },
  { template: { spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'INJ' }, { name: 'A' }, { name: 'B' }] }] } } },
);
test(
  'given an injected toleration, then the list that Git owns whole is restored',
  sends,
  { desired: pod({ tolerations: [{ key: 'a' }] }), live: pod({ tolerations: [{ key: 'a' }, { key: 'inj' }] }) },
  { spec: { template: { spec: { tolerations: [{ key: 'a' }] } } } },
  { template: { spec: { tolerations: [{ key: 'a' }] } } },
);
test(
  'given a custom resource whose map becomes a scalar, then the scalar is sent',
  sends,
  { base: widget({ m: { a: 1 } }), desired: widget({ m: 's' }), live: widget({ m: { a: 1 } }) },
  { spec: { m: 's' } },
  { m: 's' },
);
test(
  'given a field gone from the list item of a custom resource, then the list is sent without it',
  sends,
  {
    base: widget({ rules: [{ name: 'x', weight: 1 }] }),
    desired: widget({ rules: [{ name: 'x' }] }),
    live: widget({ rules: [{ name: 'x', weight: 1 }] }),
  },
  { spec: { rules: [{ name: 'x' }] } },
  { rules: [{ name: 'x' }] },
);

// Lists in which one merge key stands twice: kubectl apply loses items of these.
const [tcp, udp] = [
  { name: 'tcp', port: 53, protocol: 'TCP' },
  { name: 'udp', port: 53, protocol: 'UDP' },
];
const replaced = (ports: readonly Part[]) => ({ spec: { ports: [{ $patch: 'replace' }, ...ports] } });
test('given one port over TCP and UDP in another order, then nothing is sent', changesNothing, {
  desired: service([udp, { name: 'tcp', port: 53 }]),
  live: service([tcp, udp]),
});
test(
  'given one port over TCP that gets UDP as well, then both are there',
  sends,
  { base: service([tcp]), desired: service([tcp, udp]), live: service([{ ...tcp, nodePort: 30053 }]) },
  replaced([{ ...tcp, nodePort: 30053 }, udp]),
  { ports: [{ ...tcp, nodePort: 30053 }, udp] },
);
test(
  'given one port over TCP and UDP that loses UDP, then TCP stays',
  sends,
  { base: service([tcp, udp]), desired: service([tcp]), live: service([tcp, udp]) },
  replaced([tcp]),
  { ports: [tcp] },
);
test(
  'given an environment variable that stood there twice, then one of it stays',
  sends,
  {
    base: app({ env: [{ name: 'X', value: '1' }, { name: 'Y' }, { name: 'X', value: '2' }] }),
    desired: app({ env: [{ name: 'X', value: '1' }, { name: 'Y' }] }),
    live: app({ env: [{ name: 'X', value: '1' }, { name: 'Y' }, { name: 'X', value: '2' }] }),
  },
  {
    spec: {
      template: {
        spec: {
          '$setElementOrder/containers': [{ name: 'app' }],
          containers: [{ name: 'app', env: [{ $patch: 'replace' }, { name: 'X', value: '1' }, { name: 'Y' }] }],
        },
      },
    },
  },
  { template: { spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'X', value: '1' }, { name: 'Y' }] }] } } },
);

test('given a variable that somebody sets once more, then the second one goes, for it would win', (t) => {
  const merged = merge({
    desired: app({ env: [{ name: 'X', value: '1' }] }),
    live: app({ env: [{ name: 'X', value: '1' }, { name: 'INJ' }, { name: 'X', value: '2' }] }),
  });
  t.deepEqual<unknown, unknown>(merged.result.spec, app({ env: [{ name: 'X', value: '1' }, { name: 'INJ' }] }).spec);
});
test('given a variable twice with another between, then the list travels in a patch that keeps their order', (t) => {
  const env = [
    { name: 'X', value: '1' },
    { name: 'Y', value: '$(X)' },
    { name: 'X', value: '2' },
  ];
  const merged = merge({ desired: app({ env }), live: app({ env: env.slice(0, 2) }) });
  t.deepEqual<unknown, unknown>(merged.patch, {
    type: 'merge',
    body: { spec: { template: { spec: { containers: [{ name: 'app', image: 'app:1', env }] } } } },
  });
});

// Unions that the schema does not mark.
test(
  'given a value set by hand where Git takes it from elsewhere, then the value goes',
  sends,
  {
    desired: app({ env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    live: app({ env: [{ name: 'X', value: 'by hand' }] }),
  },
  {
    spec: {
      template: {
        spec: {
          '$setElementOrder/containers': [{ name: 'app' }],
          containers: [
            {
              name: 'app',
              '$setElementOrder/env': [{ name: 'X' }],
              env: [{ name: 'X', value: null, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            },
          ],
        },
      },
    },
  },
  {
    template: {
      spec: {
        containers: [{ name: 'app', image: 'app:1', env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }],
      },
    },
  },
);
test('given a probe of another kind set by hand, then it goes and the defaults stay', (t) => {
  const merged = merge({
    desired: app({ readinessProbe: { httpGet: { path: '/', port: 80 } } }),
    live: app({ readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 10 } }),
  });
  t.deepEqual<unknown, unknown>(merged.result.spec, app({ readinessProbe: { periodSeconds: 10, httpGet: { path: '/', port: 80 } } }).spec);
});

// replicas that an autoscaler has taken over.
test('given replicas that Git gave up and that somebody scaled, then they stay as they are', changesNothing, {
  base: deployment({ replicas: 3 }),
  desired: deployment({}),
  live: deployment({ replicas: 7 }),
});
test('given replicas that Git gave up and that an autoscaler set last, then they stay as they are', changesNothing, {
  base: deployment({ replicas: 3 }),
  desired: deployment({}),
  live: deployment(
    { replicas: 3 },
    {
      managedFields: [
        {
          manager: 'serin',
          operation: 'Update',
          apiVersion: 'apps/v1',
          time: '2026-11-20T10:00:00Z',
          fieldsV1: { 'f:spec': { 'f:paused': {} } },
        },
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'apps/v1',
          subresource: 'scale',
          fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        },
      ],
    },
  ),
});
test(
  'given replicas that Git gave up and that only serin ever set, then they go',
  sends,
  { base: deployment({ replicas: 3 }), desired: deployment({}), live: deployment({ replicas: 3 }) },
  { spec: { replicas: null } },
  {},
);
