import test from 'ava';
import { type Count, countTests, lastLine, sum } from '../../run/summary.ts';

const counts = test.macro((t, output: string, code: number, then: Count) => t.deepEqual(countTests(output, code), then));

test('given tests that passed, then they are counted', counts, '\n  ─\n\n  12 tests passed\n', 0, { passed: 12, failed: 0 });
test('given one that passed, then the singular is read too', counts, '\n  1 test passed\n', 0, { passed: 1, failed: 0 });
test('given passed and failed ones, then both are counted', counts, '  2 tests failed\n  7 tests passed\n', 1, { passed: 7, failed: 2 });
test('given an exception outside a test, then it is a failure', counts, '  3 tests passed\n  1 uncaught exception\n', 1, {
  passed: 3,
  failed: 1,
});
test('given a skipped test, then it is a failure', counts, '  3 tests passed\n  1 test skipped\n', 0, { passed: 3, failed: 1 });
test('given a known failure, then it is neither', counts, '  3 tests passed\n  1 known failure\n', 0, { passed: 3, failed: 0 });
test('given an exit code that nothing explains, then it is one failure', counts, '  3 tests passed\n', 1, { passed: 3, failed: 1 });
test('given no test at all, then it is one failure', counts, 'Couldn’t find any files to test\n', 1, { passed: 0, failed: 1 });
test('given silence and success, then it is one failure', counts, '', 0, { passed: 0, failed: 1 });
test(
  'given a title that speaks of 3 tests passed, then it is not counted',
  counts,
  '  ✔ then 3 tests passed are shown\n  1 test passed\n',
  0,
  {
    passed: 1,
    failed: 0,
  },
);

test('given the counts of several parts, then the last line is their sum', (t) => {
  const total = sum([
    { passed: 6, failed: 0 },
    { passed: 120, failed: 2 },
  ]);
  t.is(lastLine(total), '126 passed, 2 failed');
});
