import test from 'ava';
import { parseManifests } from '../../../src/desired/manifests.ts';
import { readRepository } from '../../../src/desired/repository.ts';
import { at } from '../../../src/objects.ts';
import { readOptions } from '../../demo/options.ts';
import { DEPLOYMENT, shopFiles, withVersion } from '../../demo/shop.ts';

const options = { steps: [25, 100], rate: 80, errorRate: 0.3, replicas: 6, json: false };
const container = (text: string) =>
  at(parseManifests(new Map([[DEPLOYMENT, text]]), '', { namespace: 'shop' })[0], 'spec', 'template', 'spec', 'containers', 0);

test('given the demo with other numbers, then the example is still a repository that serin reads, with those numbers', (t) => {
  const files = shopFiles(options, 'http://10.0.0.1:9090');
  const { fleet, releases } = readRepository(new Map(Object.entries(files)));
  t.is(fleet.prometheus?.url, 'http://10.0.0.1:9090');
  t.deepEqual(
    releases[0]?.release.canary?.steps.map(({ weight, gates }) => [Number(weight), gates]),
    [
      [25, ['errors']],
      [100, ['errors']],
    ],
  );
  t.is(
    at(
      parseManifests(new Map(Object.entries(files)), 'releases/shop', { namespace: 'shop' }).find((o) => o.kind === 'Deployment'),
      'spec',
      'replicas',
    ),
    6,
  );
});

test('given a bad version and then a good one, then the errors come and go with the image', (t) => {
  const first = shopFiles(options, 'http://10.0.0.1:9090')[DEPLOYMENT] ?? '';
  const bad = withVersion(first, '1.2.0', 0.3);
  t.is(at(container(bad), 'image'), 'example.com/shop:1.2.0');
  t.deepEqual(at(container(bad), 'env'), [{ name: 'ERROR_RATE', value: '0.3' }]);
  t.is(withVersion(bad, '1.0.0'), first);
});

const refuses = test.macro((t, argv: readonly string[], message: RegExp) =>
  t.throws(() => readOptions(argv), { code: 'E_USAGE', message }),
);
test('given a step that is no percent, then it is refused', refuses, ['--steps', '10,150'], /whole numbers from 1 to 100, not 150/);
test('given a rate that the lab would not stand, then it is refused', refuses, ['--rate', '5000'], /from 1 to 500/);
test('given an option that does not exist, then it is refused', refuses, ['--speed', '9'], /--speed/);
