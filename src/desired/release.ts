import * as v from 'valibot';
import { at } from '../objects.ts';
import { adoption } from './fleet.ts';
import { gateEntries, gateOf } from './gate.ts';
import { folderOf } from './glob.ts';
import { readOne } from './reading.ts';
import { releaseProblems, type Surroundings } from './release-checks.ts';
import { envelope, fields, label, later, length, list, mapOf, matching, oneOf, some, text, weight } from './shape.ts';
import type { CanaryStrategy, Fleet, Gate, Release } from './types.ts';

const gateNames = list(text('the name of a gate'), 'a list of names of gates');

const step = fields('a step', { weight, hold: v.optional(length, '0s'), gates: v.exactOptional(gateNames) });

const traffic = fields('traffic', {
  service: label('the name of a Service'),
  gatewayAPI: fields('gatewayAPI', { httpRoute: text('the name of an HTTPRoute') }),
  settle: v.optional(length, '5s'),
  ingressNginx: later('gatewayAPI: {httpRoute: NAME}'),
  istio: later('gatewayAPI: {httpRoute: NAME}'),
  traefik: later('gatewayAPI: {httpRoute: NAME}'),
  replicas: later('gatewayAPI: {httpRoute: NAME}'),
});

const canary = fields('canary', {
  naming: v.optional(oneOf(['sibling'], ['hashed']), 'sibling'),
  capacity: v.optional(oneOf(['light'], ['full', 'rolling']), 'light'),
  traffic: some(traffic, 'a list of at least one service with its router'),
  steps: some(step, 'a list of at least one step'),
  gates: v.optional(gateNames, []),
  promotion: v.optional(oneOf(['pull-request', 'automatic']), 'pull-request'),
  maxAge: v.optional(length, '2d'),
  keepStable: later('no keepStable'),
});

const render = fields('render', {
  manifests: matching(/^(?!\/)(?!(.*\/)?\.\.(\/|$)).+$/, "a folder inside the release's own, such as ."),
  kustomize: later('manifests: FOLDER'),
  helm: later('manifests: FOLDER'),
});

const wave = fields('a wave', {
  name: label('the name of a wave'),
  clusters: some(text('the name of a cluster'), 'a list of at least one cluster'),
});

const inlineGates = v.lazy((given) =>
  Array.isArray(given)
    ? list(fields('a gate', { name: text('the name of the gate'), ...gateEntries }), 'a list of gates')
    : v.pipe(
        mapOf(fields('a gate', gateEntries), 'a list of gates, or a map from names to gates'),
        v.transform((byName) => Object.entries(byName).map(([name, gate]) => ({ name, ...gate }))),
      ),
);

const spec = fields('spec', {
  namespace: label('the name of a namespace'),
  render: v.optional(render, { manifests: '.' }),
  waves: v.exactOptional(some(wave, 'a list of at least one wave')),
  mode: v.optional(oneOf(['observe', 'enforce']), 'enforce'),
  adopt: v.exactOptional(adoption),
  gates: v.optional(inlineGates, []),
  strategy: v.exactOptional(fields('strategy', { canary, blueGreen: later('canary') })),
});

const releaseFile = envelope('Release', 'the name of the release', { spec });

/**
 * release.yaml. `adopt` comes from the fleet where the release is silent; a gate of the release's own is not shared.
 * @param context what the names in the file may mean: clusters of the fleet, and the gates of gates/*.yaml
 * @throws InputError with all its mistakes
 */
export function parseRelease(file: string, text: string, context: { fleet: Fleet; gates: ReadonlyMap<string, Gate> }): Release {
  const { fleet, gates } = context;
  return readRelease(file, text, { gates, clusters: Object.keys(fleet.clusters), adopt: fleet.defaults.adopt });
}

/** As {@link parseRelease}, also where serin.yaml or a gate could not be read: names that cannot be known are then not held against the file. */
export function readRelease(file: string, text: string, around: Surroundings): Release {
  const { metadata, spec } = readOne(file, text, releaseFile, (document) => releaseProblems(document, around));
  const own = spec.gates.map(({ name, ...gate }) => gateOf(name, gate));
  const strategy = spec.strategy === undefined ? undefined : strategyOf(spec.strategy.canary);
  const named = new Set(strategy?.steps.flatMap((step) => step.gates));
  const shared = [...around.gates.values()].filter((gate) => named.has(gate.name));
  return {
    name: metadata.name,
    folder: folderOf(file),
    file,
    namespace: spec.namespace,
    render: { manifests: spec.render.manifests },
    waves: spec.waves ?? [{ name: 'all', clusters: around.clusters ?? [] }],
    mode: spec.mode,
    adopt: spec.adopt ?? around.adopt,
    ...(strategy === undefined ? {} : { canary: strategy }),
    gates: Object.fromEntries([...shared, ...own].map((gate) => [gate.name, gate])),
  };
}

function strategyOf({ naming, capacity, traffic, steps, gates, promotion, maxAge }: v.InferOutput<typeof canary>): CanaryStrategy {
  return {
    naming,
    capacity,
    traffic: traffic.map(({ service, gatewayAPI, settle }) => ({ service, gatewayAPI, settle })),
    steps: steps.map((step) => ({ weight: step.weight, hold: step.hold, gates: step.gates ?? gates })),
    promotion,
    maxAge,
  };
}

/** The name that a file gives itself, whatever else is wrong with it. */
export function nameIn(document: unknown): string | undefined {
  const name = at(document, 'metadata', 'name');
  return typeof name === 'string' ? name : undefined;
}
