import test from 'ava';
import { byUtf8, encode } from '../../../src/merge/go-json.ts';
import { encodeLastApplied, forCreation, readLastApplied } from '../../../src/merge/last-applied.ts';
import { type KubeObject, SERIN } from '../../../src/objects.ts';
import pairs from './last-applied/kubectl.json' with { type: 'json' };

const config: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } };

for (const { title, manifest, text } of pairs) {
  test(`given ${title}, then the annotation is what kubectl writes, byte for byte`, (t) => {
    t.is(encodeLastApplied(manifest as unknown as KubeObject), text);
  });
}

const writes = test.macro((t, value: unknown, text: string) => t.is(encode(value), text));
test('given fields in any order, then their names are sorted', writes, { b: 1, a: 2, 10: 3, 9: 4 }, '{"10":3,"9":4,"a":2,"b":1}');
test('given half of a surrogate pair, then it is the replacement character', writes, 'a\ud800b', '"a\ufffdb"');
test('given undefined, then the field is left out', writes, { a: undefined, b: [undefined] }, '{"b":[null]}');
test('given a name that begins another, then the shorter one comes first', (t) =>
  t.deepEqual(['ab', 'a', ''].sort(byUtf8), ['', 'a', 'ab']));

test('given a Secret, then its values are blanked and its keys kept', (t) => {
  const secret: KubeObject = { ...config, kind: 'Secret', data: { a: 'c2VjcmV0' }, stringData: { b: 'secret' } };
  const text = encodeLastApplied(secret);
  t.deepEqual(JSON.parse(text), { ...secret, metadata: { name: 'c', annotations: {} }, data: { a: '' }, stringData: { b: '' } });
});
test('given what was written, when it is read, then it is the manifest with its annotations', (t) => {
  const live = forCreation(config, config);
  t.deepEqual<unknown, unknown>(readLastApplied(live), { ...config, metadata: { name: 'c', annotations: {} } });
});

const reads = test.macro((t, text: string | undefined) => {
  const annotations = text === undefined ? {} : { [SERIN.lastApplied]: text };
  t.is(readLastApplied({ ...config, metadata: { name: 'c', annotations } }), undefined);
});
test('given no annotation, then nothing was applied', reads, undefined);
test('given an annotation that is no JSON, then nothing was applied', reads, '{"apiVersion"');
test('given an annotation that is no object, then nothing was applied', reads, '[]');

test('given a manifest and what serin adds, when the object is created, then only the manifest is remembered and nulls are left out', (t) => {
  const overlaid = { ...config, metadata: { name: 'c', labels: { 'serin.dev/release': 'shop' } }, data: { a: '1', b: null } };
  const created = forCreation({ ...config, data: { a: '1', b: null } }, overlaid);
  t.deepEqual<unknown, unknown>(created, {
    ...config,
    metadata: {
      name: 'c',
      labels: { 'serin.dev/release': 'shop' },
      annotations: {
        [SERIN.lastApplied]: '{"apiVersion":"v1","data":{"a":"1","b":null},"kind":"ConfigMap","metadata":{"annotations":{},"name":"c"}}\n',
      },
    },
  });
});
