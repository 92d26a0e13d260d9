import test from 'ava';
import { countTests, lastLine, sum } from '../../run/summary.ts';

const counts = test.macro((t, output: string, code: number, passed: number, failed: number) =>
  t.deepEqual(countTests(output, code), { passed, failed }),
);

test('given tests that passed, then they are counted', counts, '  ✔ a › one\n  ✔ b › two (12ms)\n  ─\n\n  2 tests passed\n', 0, 2, 0);
test(
  'given passed and failed ones, then both are counted',
  counts,
  '  ✔ one\n  ✘ [fail]: two\n  ✘ [fail]: three\n  2 tests failed\n',
  1,
  1,
  2,
);
test('given an exception outside a test, then it is a failure', counts, '  ✔ one\n  1 uncaught exception\n', 1, 1, 1);
test('given a skipped test, then it is a failure', counts, '  ✔ one\n  - [skip] two\n  1 test passed\n  1 test skipped\n', 0, 1, 1);
test('given a known failure, then it is neither', counts, '  ✔ one\n  ✔ [expected fail] two\n  1 known failure\n', 0, 1, 0);
test('given an exit code that nothing explains, then it is one failure', counts, '  ✔ one\n  1 test passed\n', 1, 1, 1);
test('given no test at all, then it is one failure', counts, 'Couldn’t find any files to test\n', 1, 0, 1);
test('given silence and success, then it is one failure', counts, '', 0, 0, 1);
test(
  'given a title that speaks of 3 tests failed, then it is not counted',
  counts,
  '  ✔ then 3 tests failed are shown\n  1 test passed\n',
  0,
  1,
  0,
);
test('given a terminal without the tick, then its stand-in is read', counts, '  √ one\n  1 test passed\n', 0, 1, 0);

test('given the counts of several parts, then the last line is their sum', (t) => {
  const total = sum([
    { passed: 6, failed: 0 },
    { passed: 120, failed: 2 },
  ]);
  t.is(lastLine(total), '126 passed, 2 failed');
});
