import test from 'ava';
import { parseDocuments } from '../../../src/desired/yaml.ts';
import { InputError } from '../../../src/errors.ts';
import cases from './go-yaml/cases.json' with { type: 'json' };
import golden from './go-yaml/golden.json' with { type: 'json' };

/** Undefined stands for a refusal. */
const read = (text: string): unknown => {
  try {
    return parseDocuments('file.yaml', text)[0];
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
};

/** Where serin is not kubectl, and means not to be. */
const differences: Readonly<Record<string, { why: string; value?: unknown }>> = {
  'base64 of bytes that are no text': { why: 'kubectl would send a replacement character instead of the byte' },
  'a tag that nobody knows': { why: 'kubectl would drop the tag and send the text' },
  'a number that JSON in JavaScript would round': { why: 'it cannot be sent as it is written' },
  'a key twice': { why: 'kubectl would take the last one, and the API server would only warn' },
  'a field in front of a merge key': {
    why: 'YAML says that a field of the map itself wins wherever it stands; go-yaml 2 lets a later merge win',
    value: { base: { a: 1, b: 2 }, use: { a: 9, b: 2 } },
  },
  'JSON is YAML': {
    why: 'kubectl reads this as JSON, not through its YAML library',
    value: { a: [1, true, null, 'x/y'], b: { c: 1500 } },
  },
};

for (const { name, text } of cases) {
  const reading: { refused?: boolean; value?: unknown } | undefined = golden.find((row) => row.name === name);
  const difference = differences[name];
  if (difference === undefined) {
    test(`given ${name}, then it is read as kubectl reads it`, (t) => {
      t.truthy(reading, 'golden.json is older than cases.json: run the Go program again');
      t.deepEqual(read(text), reading?.refused ? undefined : reading?.value);
    });
  } else {
    test(`given ${name}, then serin differs from kubectl: ${difference.why}`, (t) => {
      t.deepEqual(read(text), difference.value);
      t.notDeepEqual(reading?.value, difference.value);
    });
  }
}

test('given several documents, when they are read, then empty ones are dropped and the order stays', (t) => {
  t.deepEqual(parseDocuments('f', '---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n'), [{ a: 1 }, { b: 2 }]);
  t.deepEqual(parseDocuments('f', ''), []);
  t.deepEqual(parseDocuments('f', '# only a comment\n'), []);
});

const refuses = test.macro((t, text: string, line: string) => {
  const error = t.throws(() => parseDocuments('releases/shop/release.yaml', text), { instanceOf: InputError });
  t.is(error?.message, line);
});
test(
  'given a list that is not closed, then the place is where the text ends',
  refuses,
  'a: 1\nb: [1, 2\n',
  'releases/shop/release.yaml:3:1: expected a list or map that is closed, indented deeper than its key, found the end of the text',
);
test(
  'given a key twice, then the second is named',
  refuses,
  'a: 1\nb: 2\na: 3\n',
  'releases/shop/release.yaml:3:1: expected each key once in a map, found a: …',
);
test(
  'given a number that would be rounded, then its place is named',
  refuses,
  'a: 1\nb: 9007199254740993\n',
  'releases/shop/release.yaml:2:4: expected a number that is exact in JSON, or the same in quotes, found a number of 16 digits',
);
test(
  'given aliases that unfold without end, then the file is refused',
  refuses,
  bomb(),
  'releases/shop/release.yaml:1:1: expected a text that unfolds to at most 100000 values, found more, through its aliases',
);

function bomb(): string {
  const levels = Array.from({ length: 8 }, (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]`);
  return ['a0: &a0 x', ...levels].join('\n');
}
