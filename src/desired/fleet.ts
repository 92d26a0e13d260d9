import * as v from 'valibot';
import { at } from '../objects.ts';
import { seconds } from '../units.ts';
import { readOne } from './reading.ts';
import { envelope, fields, later, length, mapOf, matching, oneOf, share, text, where } from './shape.ts';
import type { Fleet } from './types.ts';

/** How often an idle fleet is compared with what runs there, when it does not say. */
const DRIFT_EVERY = seconds(300);

export const adoption = oneOf(['never', 'if-unowned', 'all']);

const address = fields('a cluster', {
  context: v.exactOptional(text('the name of a kubeconfig context')),
  inCluster: v.exactOptional(where<true>((value) => value === true, 'true')),
  eks: later('context or inCluster'),
});

const drift = v.union(
  [oneOf(['repair', 'report']), fields('drift', { every: length })],
  'one of repair, report, or a map such as {every: 10m}',
);

const defaults = fields('defaults', {
  drift: v.optional(drift, 'repair'),
  adopt: v.optional(adoption, 'if-unowned'),
  prune: v.optional(fields('prune', { budget: v.optional(share, '20%') }), {}),
});

const spec = fields('spec', {
  github: v.exactOptional(
    fields('github', {
      repository: matching(/^[\w.-]+\/[\w.-]+$/, 'a repository such as acme/deploy'),
      base: v.optional(text('the name of a branch'), 'main'),
    }),
  ),
  releases: v.optional(matching(/^[^/].*\.ya?ml$/, 'a glob of files such as releases/*/release.yaml'), 'releases/*/release.yaml'),
  clusters: v.optional(mapOf(address, 'a map from names of clusters to {context: NAME} or {inCluster: true}'), { default: {} }),
  metrics: v.exactOptional(
    fields('metrics', {
      prometheus: fields('prometheus', { url: matching(/^https?:\/\/[^\s/]+/, 'a URL such as http://prometheus.monitoring:9090') }),
    }),
  ),
  defaults: v.optional(defaults, {}),
});

const fleetFile = envelope('Fleet', 'the name of the fleet', { spec: v.optional(spec, {}) });

/** serin.yaml. @throws InputError with all its mistakes */
export function parseFleet(file: string, text: string): Fleet {
  const { metadata, spec } = readOne(file, text, fleetFile, addresses);
  const { drift, adopt, prune } = spec.defaults;
  return {
    name: metadata.name,
    ...(spec.github === undefined ? {} : { github: spec.github }),
    releases: spec.releases,
    clusters: spec.clusters as Fleet['clusters'],
    ...(spec.metrics === undefined ? {} : { prometheus: spec.metrics.prometheus }),
    defaults: {
      drift: typeof drift === 'string' ? drift : 'repair',
      driftEvery: typeof drift === 'string' ? DRIFT_EVERY : drift.every,
      adopt,
      pruneBudget: prune.budget,
    },
  };
}

/** A cluster has one address, not two; a fleet has a cluster. */
function addresses(document: unknown) {
  const clusters = at(document, 'spec', 'clusters');
  if (typeof clusters !== 'object' || clusters === null) return [];
  const path = ['spec', 'clusters'];
  if (Object.keys(clusters).length === 0) return [{ path, expected: 'at least one cluster', found: 'an empty map' }];
  return Object.entries(clusters)
    .filter(([, given]) => at(given, 'context') !== undefined && at(given, 'inCluster') !== undefined)
    .map(([name]) => ({ path: [...path, name], expected: 'context or inCluster, not both', found: 'both' }));
}
