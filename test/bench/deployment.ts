import type { KubeObject } from '../../src/objects.ts';

/** A Deployment as shops have them, 2.2 kB of YAML: two containers, probes, resources, env, volumes. */
export function manifest(name: string): string {
  const env = Array.from({ length: 12 }, (_, i) => `            - {name: SETTING_${i}, value: "value of setting ${i}"}`).join('\n');
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: shop
  labels: {app: ${name}, tier: web, team: checkout}
spec:
  replicas: 3
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}, tier: web}
      annotations: {prometheus.io/scrape: "true", prometheus.io/port: "8080"}
    spec:
      serviceAccountName: ${name}
      containers:
        - name: app
          image: shop/${name}:1.4.2
          ports:
            - {name: http, containerPort: 8080}
            - {name: metrics, containerPort: 9090}
          env:
${env}
          envFrom:
            - configMapRef: {name: ${name}}
          resources:
            requests: {cpu: 250m, memory: 256Mi}
            limits: {memory: 512Mi}
          readinessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 5
          livenessProbe:
            httpGet: {path: /live, port: http}
            initialDelaySeconds: 10
          volumeMounts:
            - {name: config, mountPath: /etc/${name}, readOnly: true}
        - name: proxy
          image: shop/proxy:2.0.0
          args: [--listen, ":8443", --upstream, "127.0.0.1:8080"]
          ports:
            - {name: https, containerPort: 8443, protocol: TCP}
      volumes:
        - name: config
          configMap: {name: ${name}, defaultMode: 0644}
`;
}

/** The object as an API server would hold it: what it fills in, who wrote it, and a status. */
export function live(desired: KubeObject, lastApplied: string, replicas: number): KubeObject {
  const spec = desired.spec as Record<string, unknown>;
  const now = '2026-11-20T14:02:11Z';
  return {
    ...desired,
    metadata: {
      ...desired.metadata,
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied, 'deployment.kubernetes.io/revision': '1' },
      uid: '0c0fd4ae-6f7e-4d0e-9d3c-6c1c7a5f6c11',
      resourceVersion: '4711',
      generation: 1,
      creationTimestamp: now,
      managedFields: [
        { manager: 'serin', operation: 'Update', apiVersion: 'apps/v1', time: now, fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      ],
    },
    spec: { ...spec, replicas, progressDeadlineSeconds: 600, revisionHistoryLimit: 10, strategy: { type: 'RollingUpdate' } },
    status: { observedGeneration: 1, replicas: 3, readyReplicas: 3, availableReplicas: 3 },
  };
}
