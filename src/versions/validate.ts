import { positionOf } from '../desired/position.ts';
import type { Files, Release } from '../desired/types.ts';
import type { Mistake } from '../errors.ts';
import { at, type KubeObject } from '../objects.ts';

const TRAFFIC = ['spec', 'strategy', 'canary', 'traffic'] as const;

/**
 * What is wrong between a release.yaml and the manifests that it names: routers and Services that are not there, and workloads whose pods
 * somebody else counts. Each with its place in release.yaml.
 */
export function trafficMistakes(release: Release, files: Files, objects: readonly KubeObject[]): readonly Mistake[] {
  const text = files.get(release.file) ?? '';
  const has = (kind: string, name: string) => objects.some((o) => o.kind === kind && o.metadata.name === name);
  const place = (...path: (string | number)[]) => {
    const { line, column } = positionOf(text, 0, [...TRAFFIC, ...path]);
    return { file: release.file, line, column };
  };
  return (release.canary?.traffic ?? []).flatMap(({ service, gatewayAPI: { httpRoute } }, index) => [
    ...(has('Service', service) ? [] : [{ ...place(index, 'service'), expected: `a Service of the release's manifests`, found: service }]),
    ...(has('HTTPRoute', httpRoute)
      ? []
      : [
          {
            ...place(index, 'gatewayAPI', 'httpRoute'),
            expected: `an HTTPRoute of the release's manifests (routes of others come later)`,
            found: httpRoute,
          },
        ]),
    ...autoscaled(objects).map((name) => ({
      ...place(index),
      expected: 'Deployments that no autoscaler scales (a HorizontalPodAutoscaler for each version is not yet supported by this version)',
      found: `a HorizontalPodAutoscaler for Deployment ${name}`,
    })),
  ]);
}

function autoscaled(objects: readonly KubeObject[]): string[] {
  const targets = objects.filter((o) => o.kind === 'HorizontalPodAutoscaler').map((o) => at(o, 'spec', 'scaleTargetRef', 'name'));
  return objects.filter((o) => o.kind === 'Deployment' && targets.includes(o.metadata.name)).map((o) => o.metadata.name);
}
