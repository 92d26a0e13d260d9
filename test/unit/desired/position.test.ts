import test from 'ava';
import fc from 'fast-check';
import { parseFleet } from '../../../src/desired/fleet.ts';
import { parseGate } from '../../../src/desired/gate.ts';
import { parseManifests } from '../../../src/desired/manifests.ts';
import { type Path, positionOf } from '../../../src/desired/position.ts';
import { parseRelease } from '../../../src/desired/release.ts';
import { parseRollout } from '../../../src/desired/rollout.ts';
import { InputError } from '../../../src/errors.ts';

const text = `# first
---
# only a comment
---
a: 1
b:
  - c: x
    "d e": [1, {f: 2}]
  - &g
    h: y
i: *g
---
j:
on: 1
`;
const points = test.macro((t, index: number, path: Path, aim: 'key' | 'value', then: string, written?: string) => {
  const place = positionOf(text, index, path, aim);
  t.is(`${place.line}:${place.column}`, then);
  t.is(place.written, written);
});
test('given a scalar, then its value is pointed at', points, 0, ['a'], 'value', '5:4', '1');
test('given the name of a field, then its key is pointed at', points, 0, ['b', 0, 'd e'], 'key', '8:5', '"d e"');
test('given a value in a flow map, then it is pointed at', points, 0, ['b', 0, 'd e', 1, 'f'], 'value', '8:20', '2');
test('given a missing field, then its parent is pointed at', points, 0, ['b', 0, 'z'], 'value', '7:5');
test('given a field missing in a field, then the key of that is pointed at', points, 0, ['b', 'z'], 'value', '6:1');
test('given a path through an alias, then what it stands for is pointed at', points, 0, ['i', 'h'], 'value', '10:8', 'y');
test('given the second document, then empty ones before it do not count', points, 1, ['j'], 'key', '13:1', 'j');
test('given a key that YAML reads as true, then it is found as kubectl names it', points, 1, ['true'], 'value', '14:5', '1');
test('given an empty value, then the place behind its key is pointed at', points, 1, ['j'], 'value', '13:3', '');
test('given a document that is not there, then the first place is pointed at', points, 7, ['a'], 'value', '1:1');

const fleet = parseFleet('serin.yaml', 'apiVersion: serin.dev/v1alpha1\nkind: Fleet\nmetadata: {name: acme}\n');
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  Fleet: (text) => parseFleet('f', text),
  Gate: (text) => parseGate('f', text),
  Rollout: (text) => parseRollout('f', text),
  Release: (text) => parseRelease('f', text, { fleet, gates: new Map() }),
  List: (text) => parseManifests(new Map([['a.yaml', text]]), '', { namespace: 'x' }),
};
const names =
  'spec gates waves clusters strategy canary traffic steps weight hold name threshold thresholdRange min render github metrics defaults drift held stable items';
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<unknown>(null, 1, 101, -1, 1.5, '', 'x', '10m', 'full', true, '__proto__'),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names.split(' '), '__proto__', 'constructor', 'x'), tie('tree'), { maxKeys: 5 }),
  ),
}));
for (const [kind, read] of Object.entries(readers)) {
  test(`given anything at all as a ${kind}, when it is read, then it is a value or a list of mistakes with places in the text`, (t) => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names.split(' '), 'metadata'), tree), (fields) => {
        const text = JSON.stringify(
          { apiVersion: kind === 'List' ? 'v1' : 'serin.dev/v1alpha1', kind, metadata: { name: 'x' }, ...fields },
          null,
          1,
        );
        try {
          read(text);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          const length = text.split('\n').length;
          for (const { line, column, found, expected } of error.mistakes) {
            t.true(line >= 1 && line <= length && column >= 1 && found !== '' && found.length <= 60 && expected !== '', error.message);
          }
        }
      }),
      { numRuns: 150 },
    );
    t.pass();
  });
}
