import test from 'ava';
import { diffLines } from 'diff';
import fc from 'fast-check';
import { parseRollout } from '../../../src/desired/rollout.ts';
import { newRollout, promoted, withCanary, withHeld, withoutRetry, withWeight } from '../../../src/desired/rollout-text.ts';
import type { Held, Revision, Rollout, Sha } from '../../../src/desired/types.ts';
import { type Instant, type Percent, percent } from '../../../src/units.ts';

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef0123456789e'), minLength: length, maxLength: length });
const revision = hex(10) as fc.Arbitrary<Revision>;
const commit = hex(40) as fc.Arbitrary<Sha>;
const weight = fc.integer({ min: 0, max: 100 }).map(percent);
const wave = fc.constantFrom('eu', 'us', '1', '0644', 'yes', 'n', '1e3');
const reason = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
const stable = fc.record({ revision, commit });
const canary = fc.record(
  { revision, commit, wave, weight, skipGates: reason },
  { requiredKeys: ['revision', 'commit', 'wave', 'weight'], noNullPrototype: true },
);
const held: fc.Arbitrary<Held> = fc.record({ revision, reason, at: fc.integer({ min: 0, max: 4_000_000_000 }) as fc.Arbitrary<Instant> });

/** Texts that people leave behind: comments, blank lines, flow style, another indentation, another end of line. */
const style = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.trimEnd(),
  (text) => text.replace(/^(stable|canary|held):/gm, '# about $1\n\n$1: # $1 says'),
  (text) => text.replace(/^( +\S+: .*)$/gm, '$1  # as it is\n  # and why'),
  (text) => text.replace(/^ {2}/gm, '        '),
  (text) => `---\n${text}...\n`,
  (text) => text.replace(/^held:\n( +)- /m, 'held:\n$1# the first\n$1- '),
);
const flowRollout = fc
  .record({ stable, canary: fc.option(canary, { nil: undefined }) })
  .map(
    ({ stable, canary }) =>
      `# flow\napiVersion: serin.dev/v1alpha1\nkind: Rollout\nmetadata: {name: shop}\nstable: ${JSON.stringify(stable)}  # s\n${canary === undefined ? '' : `canary: ${JSON.stringify(canary)}\n`}held: [] # none\n`,
  );
const wholeFlow = fc
  .record({ stable, canary })
  .map((rest) => `${JSON.stringify({ apiVersion: 'serin.dev/v1alpha1', kind: 'Rollout', metadata: { name: 'shop' }, ...rest })}\n`);
const block = fc.tuple(stable, fc.option(canary), fc.array(held, { maxLength: 3 }), style).map(([first, second, entries, restyle]) => {
  const start = entries.reduce(withHeld, newRollout({ name: 'shop' }, first));
  return restyle(second === null ? start : withCanary(start, second));
});
const text = fc.oneof({ weight: 4, arbitrary: block }, flowRollout, wholeFlow);

const read = (text: string): Rollout => parseRollout('rollout.yaml', text);
const comments = (text: string): string[] => text.match(/# (about|flow|Written).*/g) ?? [];

test('given a name and a stable version, when the first rollout.yaml is written, then it is this text', (t) => {
  t.is(
    newRollout({ name: 'shop' }, { revision: '1234567890' as Revision, commit: '3f2a'.repeat(10) as Sha }),
    `# Written by serin through pull requests: which revision is stable, and how far the canary may go.
apiVersion: serin.dev/v1alpha1
kind: Rollout
metadata:
  name: shop
stable:
  revision: "1234567890"
  commit: ${'3f2a'.repeat(10)}
`,
  );
});

test('given any rollout.yaml, when a canary is set, then exactly that canary is read and nothing else has changed', (t) => {
  fc.assert(
    fc.property(text, canary, (before, canary) => {
      const after = withCanary(before, canary);
      t.deepEqual(read(after), { ...read(before), canary });
      t.deepEqual(comments(after), comments(before));
    }),
  );
});

test('given any rollout.yaml with a canary, when its weight is raised, then one line changes and every other byte stays', (t) => {
  fc.assert(
    fc.property(text, canary, weight, (given, canary, weight) => {
      const before = withCanary(given, canary);
      const after = withWeight(before, weight);
      t.deepEqual(read(after), { ...read(before), canary: { ...canary, weight } });
      const changed = diffLines(before, after).filter((part) => part.added || part.removed);
      t.deepEqual(
        changed.map((part) => part.count),
        canary.weight === weight ? [] : [1, 1],
      );
    }),
  );
});

test('given any rollout.yaml, when a version is promoted, then it is stable and there is no canary', (t) => {
  fc.assert(
    fc.property(text, stable, (before, stable) => {
      const after = promoted(before, stable);
      const { canary: _gone, ...rest } = read(before);
      t.deepEqual(read(after), { ...rest, stable });
      t.deepEqual(
        comments(after).filter((line) => !line.includes('canary')),
        comments(before).filter((line) => !line.includes('canary')),
      );
    }),
  );
});

test('given any rollout.yaml, when a revision is held, then it is the last entry, and holding it again changes nothing', (t) => {
  fc.assert(
    fc.property(text, held, (before, held) => {
      const after = withHeld(before, held);
      const was = read(before);
      fc.pre(!was.held.some((one) => one.revision === held.revision));
      t.deepEqual(read(after).held, [...was.held, held]);
      t.deepEqual(read(after).stable, was.stable);
      t.is(withHeld(after, held), after);
    }),
  );
});

test('given a canary, when its revision is held, then its block goes; another canary stays', (t) => {
  fc.assert(
    fc.property(text, canary, held, (given, canary, held) => {
      const before = withCanary(given, canary);
      t.deepEqual(read(withHeld(before, { ...held, revision: canary.revision })).canary, undefined);
      fc.pre(held.revision !== canary.revision);
      t.deepEqual(read(withHeld(before, held)).canary, canary);
    }),
  );
});

test('given a retry, when it has been heard, then only its line goes', (t) => {
  fc.assert(
    fc.property(block, revision, (before, retry) => {
      fc.pre(!before.includes('---'));
      const line = `retry: "${retry}" # once more\n`;
      const lead = before.endsWith('\n') ? before : `${before}\n`;
      t.is(read(lead + line).retry, retry);
      t.is(withoutRetry(lead + line), lead);
    }),
  );
});

test('given a retry of a revision that fails again, when it is held, then the retry goes and the new reason is added', (t) => {
  const first = { revision: '77e0aa0000' as Revision, reason: 'errors', at: 0 as Instant };
  const start = withHeld(newRollout({ name: 'shop' }, { revision: '5c1f0c2d9e' as Revision, commit: 'a'.repeat(40) as Sha }), first);
  const again = withHeld(`${start}retry: 77e0aa0000\n`, { ...first, reason: 'errors again' });
  t.is(read(again).retry, undefined);
  t.deepEqual(
    read(again).held.map((held) => held.reason),
    ['errors', 'errors again'],
  );
});

test('given a comment beside the weight, when the weight changes, then the comment stays', (t) => {
  const text = `apiVersion: serin.dev/v1alpha1
kind: Rollout
metadata: {name: shop}
stable: {revision: 5c1f0c2d9e, commit: ${'3f2a'.repeat(10)}}
canary: {revision: 81b7aa01c3, commit: ${'9cd0'.repeat(10)}, wave: eu, weight: 25}   # careful
`;
  t.is(withWeight(text, 50 as Percent), text.replace('25}', '50}'));
});

test('given a rollout.yaml in one line, when a version is promoted, then no comma is left over', (t) => {
  const head = '{apiVersion: serin.dev/v1alpha1, kind: Rollout, metadata: {name: shop}';
  const of = (revision: string) => `{revision: ${revision}, commit: ${'3f2a'.repeat(10)}`;
  const text = `${head}, stable: ${of('5c1f0c2d9e')}}, canary: ${of('81b7aa01c3')}, wave: eu, weight: 100}}`;
  t.is(promoted(text, { revision: '81b7aa01c3' as Revision, commit: '3f2a'.repeat(10) as Sha }), `${head}, stable: ${of('81b7aa01c3')}}}`);
});
