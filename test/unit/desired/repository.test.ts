import test from 'ava';
import { readRepository } from '../../../src/desired/repository.ts';
import { InputError } from '../../../src/errors.ts';
import { type Seconds } from '../../../src/units.ts';

const fleet = `apiVersion: serin.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
spec:
  github: {repository: acme/deploy}
  clusters: {eu-1: {context: eu-1}, here: {inCluster: true}}
  metrics: {prometheus: {url: "http://prometheus.monitoring:9090"}}
  defaults: {drift: {every: 10m}, adopt: never, prune: {budget: 30%}}
`;
const release = `apiVersion: serin.dev/v1alpha1
kind: Release
metadata: {name: shop}
spec:
  namespace: shop
  waves:
    - {name: eu, clusters: [eu-1]}
    - {name: here, clusters: [here]}
  strategy:
    canary:
      traffic:
        - service: shop
          gatewayAPI: {httpRoute: shop}
      steps:
        - {weight: 5, hold: 10m}
        - {weight: 25, gates: [smoke]}
        - {weight: 100, gates: []}
      gates: [errors]
  gates:
    smoke: {threshold: {query: up, thresholdRange: {min: 1}}, interval: 5s, lag: 0s}
`;
const gate = `apiVersion: serin.dev/v1alpha1
kind: Gate
metadata: {name: errors}
spec:
  threshold: {query: 'rate(errors{track="{{track}}"}[1m])', thresholdRange: {max: 0.01}}
`;
const rollout = `apiVersion: serin.dev/v1alpha1
kind: Rollout
metadata: {name: shop}
stable: {revision: 5c1f0c2d9e, commit: ${'3f2a'.repeat(10)}}
`;
const good: Readonly<Record<string, string>> = {
  'serin.yaml': fleet,
  'releases/shop/release.yaml': release,
  'gates/errors.yaml': gate,
  'releases/shop/rollout.yaml': rollout,
};

const read = (changes: Readonly<Record<string, string>> = {}) => readRepository(new Map(Object.entries({ ...good, ...changes })));
const mistakes = (changes: Readonly<Record<string, string>>): string[] => {
  try {
    read(changes);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.message.split('\n');
    throw error;
  }
};

test('given a repository without a mistake, then its fleet, release, gates and roll-out are read', (t) => {
  const { fleet, releases } = read();
  t.deepEqual(fleet.defaults, { drift: 'repair', driftEvery: 600, adopt: 'never', pruneBudget: 30 } as never);
  t.deepEqual(fleet.github, { repository: 'acme/deploy', base: 'main' });
  t.deepEqual(fleet.clusters, { 'eu-1': { context: 'eu-1' }, here: { inCluster: true } });
  t.is(releases.length, 1);
  const { release, rollout, rolloutFile, rolloutMistake } = releases[0]!;
  t.is(rolloutFile, 'releases/shop/rollout.yaml');
  t.is(rolloutMistake, undefined);
  t.deepEqual(rollout, { stable: { revision: '5c1f0c2d9e', commit: '3f2a'.repeat(10) }, held: [] } as never);
  t.deepEqual(Object.keys(release.gates), ['errors', 'smoke']);
  t.deepEqual(release.gates.errors, {
    name: 'errors',
    interval: 60 as Seconds,
    lag: 60 as Seconds,
    threshold: { query: 'rate(errors{track="{{track}}"}[1m])', max: 0.01, failureLimit: 0, minPoints: 3 },
  });
  t.deepEqual(release.canary?.steps, [
    { weight: 5, hold: 600, gates: ['errors'] },
    { weight: 25, hold: 0, gates: ['smoke'] },
    { weight: 100, hold: 0, gates: [] },
  ] as never);
  t.is(release.folder, 'releases/shop');
});

test('given the shortest fleet and release, then everything else has its default', (t) => {
  const { fleet, releases } = readRepository(
    new Map([
      ['serin.yaml', 'apiVersion: serin.dev/v1alpha1\nkind: Fleet\nmetadata: {name: acme}\n'],
      ['releases/shop/release.yaml', 'apiVersion: serin.dev/v1alpha1\nkind: Release\nmetadata: {name: shop}\nspec: {namespace: shop}\n'],
    ]),
  );
  t.deepEqual(fleet, {
    name: 'acme',
    releases: 'releases/*/release.yaml',
    clusters: { default: {} },
    defaults: { drift: 'repair', driftEvery: 300, adopt: 'if-unowned', pruneBudget: 20 },
  } as never);
  t.deepEqual(releases[0]?.release, {
    name: 'shop',
    folder: 'releases/shop',
    file: 'releases/shop/release.yaml',
    namespace: 'shop',
    render: { manifests: '.' },
    waves: [{ name: 'all', clusters: ['default'] }],
    mode: 'enforce',
    adopt: 'if-unowned',
    gates: {},
  });
  t.is(releases[0]?.rollout, undefined);
});

const inRelease = test.macro((t, from: string, to: string, ...then: string[]) => {
  t.true(release.includes(from), 'the row changes nothing');
  t.deepEqual(
    mistakes({ 'releases/shop/release.yaml': release.replace(from, to) }),
    then.map((line) => `releases/shop/release.yaml:${line}`),
  );
});
test(
  'given a weight above 100, then it is named as it is written',
  inRelease,
  'weight: 25',
  'weight: 250',
  '16:20: expected a whole percent from 0 to 100, found 250',
);
test(
  'given a weight in words, then it is no number',
  inRelease,
  'weight: 25',
  'weight: "25"',
  '16:20: expected a whole percent from 0 to 100, found "25"',
);
test(
  'given weights that fall, then the lower one is named',
  inRelease,
  'weight: 25',
  'weight: 4',
  '16:20: expected a weight above that of the step before, which is 5, found 4',
);
test(
  'given a weight twice, then the second is named',
  inRelease,
  'weight: 25',
  'weight: 5',
  '16:20: expected each weight once, and more than 5, found 5',
);
test(
  'given no last step of 100, then the last step is named',
  inRelease,
  'weight: 100',
  'weight: 50',
  '17:20: expected weight 100 in the last step, found 50',
);
test(
  'given a duration without a unit, then it is no duration',
  inRelease,
  'hold: 10m',
  'hold: 10',
  '15:29: expected a duration such as 10m or 2d, found 10',
);
test(
  'given a gate that does not exist, then its name is named',
  inRelease,
  '[smoke]',
  '[smok]',
  '16:32: expected the name of a gate (did you mean smoke?), found smok',
);
test(
  'given a cluster that the fleet does not have, then its name is named',
  inRelease,
  '[eu-1]',
  '[mars]',
  '7:29: expected a cluster of serin.yaml: one of eu-1, here, found mars',
);
test(
  'given a cluster in two waves, then the second is named',
  inRelease,
  '[here]',
  '[eu-1]',
  '8:31: expected each cluster once, found eu-1 a second time',
);
test(
  'given a service without a router, then the router is missing at the service',
  inRelease,
  '\n          gatewayAPI: {httpRoute: shop}',
  '',
  '12:11: expected gatewayAPI: a map of httpRoute, found nothing',
);
test(
  'given a field that is not known, then the nearest is offered',
  inRelease,
  '      steps:',
  '      stepps:',
  '10:5: expected steps: a list of at least one step, found nothing',
  '14:7: expected a field of canary: one of naming, capacity, traffic, steps, gates, promotion, maxAge, keepStable (did you mean steps?), found stepps',
);
test(
  'given an option of a later version, then it is refused and not ignored',
  inRelease,
  '      steps:',
  '      capacity: full\n      steps:',
  '14:17: expected light (full is not yet supported by this version), found full',
);
test(
  'given a renderer of a later version, then it is refused and not ignored',
  inRelease,
  '  namespace: shop',
  '  namespace: shop\n  render: {helm: {chart: ./chart}}',
  '6:12: expected manifests: FOLDER (this is not yet supported by this version), found helm',
);
test(
  'given another strategy, then it is refused and not ignored',
  inRelease,
  '    canary:',
  '    blueGreen: {}\n    canary:',
  '10:5: expected canary (this is not yet supported by this version), found blueGreen',
);
test(
  'given a gate without a bound, then it would pass whatever comes',
  inRelease,
  '{min: 1}',
  '{}',
  '20:52: expected min, max or both, found an empty map',
);
test(
  'given a namespace that Kubernetes would refuse, then it is refused before',
  inRelease,
  'namespace: shop',
  'namespace: Shop',
  '5:14: expected the name of a namespace: lower-case letters, digits and dashes, at most 63, found Shop',
);
test(
  'given a folder outside the release, then it is refused',
  inRelease,
  '  namespace: shop',
  '  namespace: shop\n  render: {manifests: ../other}',
  "6:23: expected a folder inside the release's own, such as ., found ../other",
);
test('given three mistakes, then all three are told, in the order of the text', (t) => {
  const bad = release.replace('weight: 25', 'weight: 101').replace('[errors]', '[error]').replace('[here]', '[there]');
  t.deepEqual(mistakes({ 'releases/shop/release.yaml': bad }), [
    'releases/shop/release.yaml:8:31: expected a cluster of serin.yaml (did you mean here?), found there',
    'releases/shop/release.yaml:16:20: expected a whole percent from 0 to 100, found 101',
    'releases/shop/release.yaml:18:15: expected the name of a gate (did you mean errors?), found error',
  ]);
});
test('given mistakes in several files, then all of them are told, and no name is blamed for a file that cannot be read', (t) => {
  t.deepEqual(
    mistakes({
      'serin.yaml': fleet.replace('inCluster: true', 'eks: {}').replace('30%', '300%'),
      'gates/errors.yaml': gate.replace('max: 0.01', 'max: low'),
      'releases/shop/release.yaml': release.replace('5s', '5 s'),
    }),
    [
      'serin.yaml:6:44: expected context or inCluster (this is not yet supported by this version), found eks',
      'serin.yaml:8:65: expected a whole percent from 0 to 100, such as 20%, found 300%',
      'gates/errors.yaml:5:83: expected a number, found low',
      'releases/shop/release.yaml:20:73: expected a duration such as 10m or 2d, found 5 s',
    ],
  );
});
test('given two releases of one name, then the second is named with the first', (t) => {
  t.deepEqual(mistakes({ 'releases/web/release.yaml': release }), [
    'releases/web/release.yaml:3:18: expected a name of its own among the releases, found shop, as in releases/shop/release.yaml',
  ]);
});
test('given no serin.yaml, then that is the mistake', (t) => {
  const error = t.throws(() => readRepository(new Map()), { instanceOf: InputError });
  t.is(error?.message, "serin.yaml:1:1: expected a file of kind Fleet at the repository's root, found no such file");
});
test('given a mistake twelve lines long, then a message shows a piece of it', (t) => {
  const [line] = mistakes({ 'releases/shop/release.yaml': release.replace('namespace: shop', `namespace: ${'Long'.repeat(40)}`) });
  t.regex(line ?? '', /found (Long){14}Lon…$/);
});

const inRollout = test.macro((t, text: string, then: string) => {
  const [reading] = read({ 'releases/shop/rollout.yaml': text }).releases;
  t.is(reading?.rollout, undefined);
  t.is(reading?.rolloutText, text);
  t.is(reading?.rolloutMistake?.message, `releases/shop/rollout.yaml:${then}`);
});
test(
  'given a rollout.yaml with conflict markers, then the line is named and everything else is read',
  inRollout,
  `${rollout}<<<<<<< HEAD\nheld: []\n=======\n>>>>>>> x\n`,
  '5:1: expected a file without conflict markers, found <<<<<<< HEAD',
);
test(
  'given a revision that YAML reads as a number, then quotes are asked for',
  inRollout,
  rollout.replace('5c1f0c2d9e', '1234567890'),
  '4:20: expected a revision: 10 hex digits, in quotes where YAML would read a number, found 1234567890',
);
test(
  'given a rollout.yaml without stable, then stable is missing',
  inRollout,
  'apiVersion: serin.dev/v1alpha1\nkind: Rollout\nmetadata: {name: shop}\n',
  '1:1: expected stable: a map of revision, commit, found nothing',
);

test(
  'given the rollout.yaml of another release, then it is nothing to go by',
  inRollout,
  rollout.replace('shop', 'web'),
  '3:18: expected shop, the name of the release beside it, found web',
);

const inlineGates = test.macro((t, gates: string, ...then: string[]) => {
  const head = release.slice(0, release.indexOf('  gates:\n'));
  t.deepEqual(
    mistakes({ 'releases/shop/release.yaml': `${head}  gates:\n${gates}` }),
    then.map((line) => `releases/shop/release.yaml:${line}`),
  );
});
const threshold = 'threshold: {query: up, thresholdRange: {min: 1}}';
test('given gates as a list, then they are read as well', inlineGates, `    - {name: smoke, ${threshold}}\n`);
test(
  'given a gate twice in the list, then the second is named',
  inlineGates,
  `    - {name: smoke, ${threshold}}\n    - {name: smoke, ${threshold}}\n`,
  '21:7: expected each gate once, found smoke a second time',
);
test(
  'given a gate with the name of a shared one, then nobody could tell which is meant',
  inlineGates,
  `    smoke: {${threshold}}\n    errors: {${threshold}}\n`,
  '21:13: expected a name that no file in gates/ has, found errors',
);
test(
  'given a gate of a later version, then it is refused and not ignored',
  inlineGates,
  '    smoke: {web: {url: http://x}}\n',
  '20:13: expected threshold (this is not yet supported by this version), found web',
);
test(
  'given a range that is upside down, then its end is named',
  inlineGates,
  '    smoke: {threshold: {query: up, thresholdRange: {min: 2, max: 1}}}\n',
  '20:66: expected a number not below min, which is 2, found 1',
);
test(
  'given no time between two points, then there is no gate',
  inlineGates,
  `    smoke: {${threshold}, interval: 0s}\n`,
  '20:73: expected a duration above zero, found 0s',
);

const inFleet = test.macro((t, from: string, to: string, ...then: string[]) => {
  t.true(fleet.includes(from), 'the row changes nothing');
  t.deepEqual(
    mistakes({ 'serin.yaml': fleet.replace(from, to) }).filter((line) => line.startsWith('serin.yaml')),
    then.map((line) => `serin.yaml:${line}`),
  );
});
test('given another kind, then it is no fleet', inFleet, 'Fleet', 'Flet', '2:7: expected Fleet, found Flet');
test(
  'given a repository without an owner, then it is none',
  inFleet,
  'acme/deploy',
  'deploy',
  '5:24: expected a repository such as acme/deploy, found deploy',
);
test(
  'given a cluster with two addresses, then there is one too many',
  inFleet,
  'context: eu-1',
  'context: eu-1, inCluster: true',
  '6:20: expected context or inCluster, not both, found both',
);
test(
  'given no cluster at all, then there is nothing to roll out to',
  inFleet,
  '{eu-1: {context: eu-1}, here: {inCluster: true}}',
  '{}',
  '6:13: expected at least one cluster, found an empty map',
);
test(
  'given an address that is none, then it is named',
  inFleet,
  'http://prometheus.monitoring:9090',
  'prometheus',
  '7:31: expected a URL such as http://prometheus.monitoring:9090, found "prometheus"',
);
test(
  'given a drift that is no word of ours, then the words are named',
  inFleet,
  '{every: 10m}',
  'ignore',
  '8:21: expected one of repair, report, or a map such as {every: 10m}, found ignore',
);
test(
  'given two documents in one file, then the second is one too many',
  inFleet,
  'metadata: {name: acme}',
  'metadata: {name: acme}\n---\nx: 1',
  '5:1: expected one document, found 2 documents',
);

test('given a glob with two stars, then releases are found at any depth', (t) => {
  const deep = { 'serin.yaml': fleet.replace('spec:\n', 'spec:\n  releases: apps/**/release.yaml\n'), 'apps/a/b/release.yaml': release };
  t.deepEqual(
    read(deep).releases.map(({ release }) => release.folder),
    ['apps/a/b'],
  );
});
