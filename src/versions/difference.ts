import type { RenderedSet } from '../desired/types.ts';
import { at, type KubeObject, keyOf, type ObjectKey, refOf, SERIN } from '../objects.ts';
import { type ConfigKind, type Rename, renameInPodSpec } from './references.ts';
import { canonical, digest, withoutReplicas } from './revision.ts';

/** What stands between stable and a candidate: which objects get a second version, and which are added beside them. */
export interface VersionDifference {
  /** The candidate's Deployments whose text, or whose references' text, differs from stable's; references are content-named already. */
  readonly workloads: readonly KubeObject[];
  /** The candidate's changed ConfigMaps and Secrets under names of their own. */
  readonly configs: readonly KubeObject[];
  /** Objects that only the candidate has: they go first, under their own names. */
  readonly additions: readonly KubeObject[];
}

export function differenceOf(stable: RenderedSet, candidate: RenderedSet): VersionDifference {
  const before = new Map(stable.objects.map((o) => [keyOf(refOf(o)), o]));
  const configs = candidate.objects.filter((o) => isConfig(o) && changed(before, o));
  const names = new Map(configs.map((o) => [`${o.kind}/${o.metadata.name}`, contentName(o)]));
  const rename: Rename = (kind, name) => names.get(`${kind}/${name}`) ?? name;
  const deployments = candidate.objects.filter((o) => o.kind === 'Deployment' && before.has(keyOf(refOf(o))));
  return {
    workloads: deployments.map((o) => renamed(o, rename)).filter((o) => changed(before, o)),
    configs: configs.map(copyOf),
    additions: candidate.objects.filter((o) => !before.has(keyOf(refOf(o)))),
  };
}

/** The name followed by the digest of the object's own text: two texts never share a name, one text never has two. */
export function contentName(object: KubeObject): string {
  return `${object.metadata.name.slice(0, 244)}-${digest(canonical(object), 8)}`;
}

function copyOf(config: KubeObject): KubeObject {
  const annotations = { ...config.metadata.annotations, [SERIN.siblingOf]: config.metadata.name };
  return { ...config, metadata: { ...config.metadata, name: contentName(config), annotations } };
}

function renamed(deployment: KubeObject, rename: Rename): KubeObject {
  const spec = deployment['spec'] as Record<string, unknown>;
  const template = spec['template'] as Record<string, unknown>;
  return { ...deployment, spec: { ...spec, template: { ...template, spec: renameInPodSpec(at(template, 'spec'), rename) } } };
}

function changed(before: ReadonlyMap<ObjectKey, KubeObject>, object: KubeObject): boolean {
  const old = before.get(keyOf(refOf(object)));
  return old !== undefined && canonical(withoutReplicas(old)) !== canonical(withoutReplicas(object));
}

function isConfig(object: KubeObject): object is KubeObject & { kind: ConfigKind } {
  return object.kind === 'ConfigMap' || object.kind === 'Secret';
}
