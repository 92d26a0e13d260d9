import { at, type KubeObject, SERIN } from '../objects.ts';
import { edit } from './references.ts';
import { digest } from './revision.ts';

/** Kubernetes' limit for a label's value and for most names that become one. */
const LABEL_LIMIT = 63;

/** <name>-canary, with a digest in the middle where that would be too long. */
export function canaryName(name: string): string {
  const plain = `${name}-canary`;
  return plain.length <= LABEL_LIMIT ? plain : `${name.slice(0, 47)}-${digest(name, 8)}-canary`;
}

/**
 * The candidate's Deployment beside stable's. The labels that stable's selectors use get a value of their own, everywhere the
 * template selects by them, so that neither side's Service, HPA or budget counts the other's pods; all other labels stay.
 * @param selected label keys by which anything in the set selects the workload's pods
 */
export function siblingOf(deployment: KubeObject, selected: ReadonlySet<string>): KubeObject {
  const name = deployment.metadata.name;
  const relabel = (labels: unknown) => relabelled(labels, selected);
  const withTrack = (labels: unknown) => ({ ...(relabel(labels) as Record<string, string>), [SERIN.track]: 'canary' });
  const spec = edit(deployment['spec'], {
    selector: (selector) => ({ ...(selector as object), matchLabels: withTrack(at(selector, 'matchLabels') ?? {}) }),
    template: (template) =>
      edit(template, {
        metadata: (metadata) => ({ ...(metadata as object), labels: withTrack(at(metadata, 'labels') ?? {}) }),
        spec: (pod) => selectorsWithin(pod, relabel),
      }),
  });
  const annotations = { ...deployment.metadata.annotations, [SERIN.siblingOf]: name };
  return { ...deployment, metadata: { ...deployment.metadata, name: canaryName(name), annotations }, spec };
}

/** The Service that only the candidate's pods answer to. Node ports, addresses and load balancers stay with the declared one. */
export function canaryService(service: KubeObject, selected: ReadonlySet<string>): KubeObject {
  const spec = service['spec'] as Record<string, unknown>;
  const ports = (at(spec, 'ports') as readonly Record<string, unknown>[] | undefined)?.map(({ nodePort: _, ...port }) => port);
  const selector = { ...(relabelled(spec['selector'], selected) as Record<string, string>), [SERIN.track]: 'canary' };
  const annotations = { [SERIN.siblingOf]: service.metadata.name };
  const { name, namespace, labels } = service.metadata;
  return {
    apiVersion: service.apiVersion,
    kind: service.kind,
    metadata: {
      name: canaryName(name),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      annotations,
    },
    spec: { selector, ...(ports === undefined ? {} : { ports }) },
  };
}

/** Label keys by which Deployments and Services of the set select the pods of this Deployment. */
export function selectedKeys(deployment: KubeObject, set: readonly KubeObject[]): ReadonlySet<string> {
  const own = Object.keys((at(deployment, 'spec', 'selector', 'matchLabels') as object | undefined) ?? {});
  const services = set.filter((o) => selects(o, deployment)).flatMap((o) => Object.keys(at(o, 'spec', 'selector') as object));
  return new Set([...own, ...services]);
}

/** Whether a Service selects the pods of a Deployment. */
export function selects(service: KubeObject, deployment: KubeObject): boolean {
  const selector = at(service, 'spec', 'selector');
  if (service.kind !== 'Service' || typeof selector !== 'object' || selector === null) return false;
  const labels = at(deployment, 'spec', 'template', 'metadata', 'labels');
  const wanted = Object.entries(selector);
  return (
    wanted.length > 0 &&
    service.metadata.namespace === deployment.metadata.namespace &&
    wanted.every(([key, value]) => at(labels, key) === value)
  );
}

function relabelled(labels: unknown, selected: ReadonlySet<string>): unknown {
  if (typeof labels !== 'object' || labels === null) return labels;
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, selected.has(key) ? canaryName(String(value)) : value]));
}

/** Affinity and spread constraints select pods by label too: every matchLabels within the pod spec is relabelled. */
function selectorsWithin(value: unknown, relabel: (labels: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => selectorsWithin(item, relabel));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, key === 'matchLabels' ? relabel(field) : selectorsWithin(field, relabel)]),
  );
}
