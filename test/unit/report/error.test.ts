import test from 'ava';
import { InputError, SerinError } from '../../../src/errors.ts';
import { errorText } from '../../../src/report/error.ts';

const says = test.macro((t, error: unknown, then: string) => t.is(errorText(error, { colour: false }), then));

test(
  'given three mistakes in a file, then each is a line with its place, what was expected and what was found',
  says,
  new InputError([
    { file: 'releases/shop/release.yaml', line: 4, column: 14, expected: 'a text', found: '7' },
    { file: 'releases/shop/release.yaml', line: 9, column: 18, expected: 'a weight from 1 to 100', found: '150' },
    { file: 'releases/shop/release.yaml', line: 11, column: 5, expected: 'one of steps, gates', found: 'stepz' },
  ]),
  [
    'releases/shop/release.yaml:4:14: expected a text, found 7',
    'releases/shop/release.yaml:9:18: expected a weight from 1 to 100, found 150',
    'releases/shop/release.yaml:11:5: expected one of steps, gates, found stepz',
    '  what to do: mend the places named and run it again; nothing was changed',
  ].join('\n'),
);
test(
  'given an error with causes, then code, message, every cause once, and the hint',
  says,
  new SerinError('E_CLUSTER', 'here does not answer', {
    hint: 'is it running?',
    retry: 'next run',
    cause: new Error('connect', { cause: 'ECONNREFUSED' }),
  }),
  'E_CLUSTER: here does not answer\n  because: connect\n  because: ECONNREFUSED\n  what to do: is it running?',
);
test(
  'given an error that is not ours, then its name and message',
  says,
  new TypeError('x is not a function'),
  'TypeError: x is not a function',
);
test('given a thrown text, then the text', says, 'boom', 'error: boom');
test('given a cause that is its own cause, then it ends', (t) => {
  const cause = new Error('round');
  cause.cause = cause;
  t.is(errorText(new Error('top', { cause }), { colour: false }), 'Error: top\n  because: round');
});
