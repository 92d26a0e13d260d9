/** How many tests of a part held, and how many did not. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
}

const SUMMARY =
  /^\s*(\d+) (tests? passed|tests? failed|tests? skipped|tests? todo|known failures?|uncaught exceptions?|unhandled rejections?)$/gm;

/**
 * Reads the summary that ava prints last. A skipped test and a todo count as failed: a test is there and runs, or it is not there.
 * An exit code that the summary does not explain (a file that exits, a time-out, no file found) is one failure more.
 * @param output all that ava wrote, without colours
 * @param code its exit code
 */
export function countTests(output: string, code: number): Count {
  let passed = 0;
  let failed = 0;
  for (const [, count, what] of output.matchAll(SUMMARY)) {
    if (what === 'test passed' || what === 'tests passed') passed += Number(count);
    else if (!what?.startsWith('known')) failed += Number(count);
  }
  const unexplained = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: unexplained ? 1 : failed };
}

/** The line that everything ends with. */
export function lastLine({ passed, failed }: Count): string {
  return `${passed} passed, ${failed} failed`;
}

export function sum(counts: readonly Count[]): Count {
  return counts.reduce((all, one) => ({ passed: all.passed + one.passed, failed: all.failed + one.failed }), { passed: 0, failed: 0 });
}
