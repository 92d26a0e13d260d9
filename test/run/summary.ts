/** How many tests of a part held, and how many did not. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A test that is known to fail, and does, is neither passed nor failed. */
const TICK = /^\s*[✔√] (?!\[expected fail\])/gm;
const SUMMARY = /^\s*(\d+) (?:tests? failed|tests? skipped|tests? todo|uncaught exceptions?|unhandled rejections?)$/gm;

/**
 * Reads what ava prints: a line with a tick for each test that passed, and a summary at the end, which says how many passed only when none failed.
 * A skipped test and a todo count as failed: a test is there and runs, or it is not there.
 * An exit code that the summary does not explain (a file that exits, a time-out, no file found) is one failure more.
 * @param output all that ava wrote, without colours
 * @param code its exit code
 */
export function countTests(output: string, code: number): Count {
  const passed = output.match(TICK)?.length ?? 0;
  const failed = [...output.matchAll(SUMMARY)].reduce((sum, [, count]) => sum + Number(count), 0);
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
