import test from 'ava';
import { glob } from '../../../src/desired/glob.ts';
import { parseManifests } from '../../../src/desired/manifests.ts';
import { InputError } from '../../../src/errors.ts';

const object = (kind: string, name: string, more = '') => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}${more}}\n`;
const read = (files: Readonly<Record<string, string>>, folder = 'releases/shop') =>
  parseManifests(new Map(Object.entries(files)), folder, { namespace: 'shop' }).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
const lines = (files: Readonly<Record<string, string>>): string[] => {
  try {
    return read(files);
  } catch (error) {
    if (error instanceof InputError) return error.message.split('\n');
    throw error;
  }
};

test('given a folder of manifests, when they are read, then they come by file and order, and files of serin and kustomize are left out', (t) => {
  t.deepEqual(
    read({
      'releases/shop/web.yaml': `${object('Service', 'web')}---\n${object('Deployment', 'web')}`,
      'releases/shop/base/config.yml': object('ConfigMap', 'c'),
      'releases/shop/data.json': JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }),
      'releases/shop/release.yaml': 'apiVersion: serin.dev/v1alpha1\nkind: Release\n',
      'releases/shop/kustomization.yaml': 'resources: [web.yaml]\n',
      'releases/shop/k.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
      'releases/shop/flux.yaml': 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux}\n',
      'releases/shop/readme.md': '# shop',
      'releases/shop/empty.yaml': '# nothing yet\n',
      'releases/shopping/other.yaml': object('ConfigMap', 'not-mine'),
    }),
    ['ConfigMap/c', 'Secret/s', 'Kustomization/flux', 'Service/web', 'Deployment/web'],
  );
});

test('given a rollout.yaml that cannot be read, then the manifests beside it can', (t) => {
  const files = { 'releases/shop/release.yaml': 'apiVersion: serin.dev/v1alpha1\n', 'releases/shop/a.yaml': object('ConfigMap', 'a') };
  t.deepEqual(read({ ...files, 'releases/shop/rollout.yaml': '<<<<<<< HEAD\nx: [\n' }), ['ConfigMap/a']);
  t.deepEqual(read({ 'releases/shop/rollout.yaml': object('Rollout', 'argo') }), ['Rollout/argo']);
});

test('given a release folder written with dots, then it is the same folder', (t) => {
  t.deepEqual(read({ 'releases/shop/a.yaml': object('ConfigMap', 'a') }, './releases//shop/.'), ['ConfigMap/a']);
  t.deepEqual(read({ 'a.yaml': object('ConfigMap', 'a') }, '.'), ['ConfigMap/a']);
});

test('given a List, when it is read, then it is its items, also those of a List within', (t) => {
  const item = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const list = { apiVersion: 'v1', kind: 'List', items: [item('a'), { apiVersion: 'v1', kind: 'ConfigMapList', items: [item('b')] }] };
  t.deepEqual(read({ 'releases/shop/list.json': JSON.stringify(list) }), ['ConfigMap/a', 'ConfigMap/b']);
});

test('given objects without kind, version or name, then every one is named with its place', (t) => {
  t.deepEqual(
    lines({
      'releases/shop/a.yaml': 'kind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  generateName: b-\n',
      'releases/shop/b.yaml': 'apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    metadata: {name: 12}\n',
      'releases/shop/c.yaml': 'just text\n',
    }),
    [
      'releases/shop/a.yaml:1:1: expected apiVersion: for example apps/v1, found nothing',
      'releases/shop/a.yaml:6:1: expected metadata.name: the name of the object, found nothing',
      'releases/shop/b.yaml:4:5: expected kind: for example Deployment, found nothing',
      'releases/shop/b.yaml:5:22: expected metadata.name: the name of the object, found 12',
      'releases/shop/c.yaml:1:1: expected a Kubernetes object, found a single value',
    ],
  );
});

test('given one object in two files, also when only one of them names the namespace, then both places are named', (t) => {
  t.deepEqual(
    lines({
      'releases/shop/a.yaml': object('ConfigMap', 'a'),
      'releases/shop/b.yaml': `${object('ConfigMap', 'b')}---\n${object('ConfigMap', 'a', ', namespace: shop')}`,
      'releases/shop/c.yaml': object('ConfigMap', 'a', ', namespace: other'),
    }),
    ['releases/shop/b.yaml:5:1: expected each object once (the other is at releases/shop/a.yaml:1), found ConfigMap shop/a'],
  );
});

test('given a manifest that is no YAML, then the mistakes of the other files are told with it', (t) => {
  t.deepEqual(lines({ 'releases/shop/a.yaml': 'a: [', 'releases/shop/b.yaml': 'kind: X\nmetadata: {name: x}\n' }), [
    'releases/shop/a.yaml:1:5: expected a list or map that is closed, found a: …',
    'releases/shop/b.yaml:1:1: expected apiVersion: for example apps/v1, found nothing',
  ]);
});

test('given a Secret that is no YAML, then its value is in no message', (t) => {
  for (const secret of [
    'password: "hunter2',
    '  hunter2\n - x: hunter2',
    'a: &b hunter2\na: hunter2',
    'a: !hunter2 hunter2',
    'p: @hunter2',
    'p: *hunter2',
    'hunter2',
  ]) {
    const [line, ...more] = lines({ 'releases/shop/secret.yaml': `apiVersion: v1\nkind: Secret\nstringData:\n${secret}\n` });
    t.regex(line ?? '', /^releases\/shop\/secret.yaml:\d+:\d+: expected /);
    t.false([line, ...more].join().includes('hunter2'), line);
  }
});

const matches = test.macro((t, pattern: string, path: string, then: boolean) => t.is(glob(pattern).test(path), then));
test('given one star, then it is one folder', matches, 'releases/*/release.yaml', 'releases/shop/release.yaml', true);
test('given one star, then it is not two folders', matches, 'releases/*/release.yaml', 'releases/a/b/release.yaml', false);
test('given two stars, then they are no folder too', matches, 'releases/**/release.yaml', 'releases/release.yaml', true);
test('given two stars, then they are many folders', matches, 'releases/**/release.yaml', 'releases/a/b/c/release.yaml', true);
test('given two stars, then the name of a file is whole', matches, '**/release.yaml', 'a/my-release.yaml', false);
test('given a point, then it is a point', matches, 'releases/*/release.yaml', 'releases/a/releaseXyaml', false);
