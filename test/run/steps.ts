export type Part = 'check' | 'unit' | 'lab';

export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** 'tests': ava's summary is counted. 'one': the step itself is one test, passed when it exits with 0. */
  readonly counts: 'tests' | 'one';
  /** What to do when it fails. */
  readonly remedy: string;
}

/** The house's own test runs with the check and not again with the unit tests. */
const HOUSE = 'test/unit/architecture.test.ts';

export const STEPS: Readonly<Record<Part, readonly Step[]>> = {
  check: [
    { name: 'types', command: ['tsc', '-p', 'tsconfig.json'], counts: 'one', remedy: 'mend the types named above' },
    {
      name: 'types of the pure folders',
      command: ['tsc', '-p', 'tsconfig.core.json'],
      counts: 'one',
      remedy: 'a pure folder knows no Node.js and no globals: hand the value in, or move the code to a shell folder',
    },
    { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'], counts: 'one', remedy: 'npx oxlint --type-aware --fix' },
    { name: 'format', command: ['biome', 'check', '.'], counts: 'one', remedy: 'npm run format' },
    { name: 'dead code', command: ['knip', '--no-progress'], counts: 'one', remedy: 'delete what nothing uses, or use it' },
    { name: 'architecture', command: ['ava', HOUSE], counts: 'tests', remedy: 'docs/explanation/architecture.md says who may import whom' },
  ],
  unit: [
    {
      name: 'unit tests',
      command: ['ava', 'test/unit/**', `!${HOUSE}`],
      counts: 'tests',
      remedy: 'npx ava FILE --match "*words of the title*" runs one of them',
    },
  ],
  lab: [
    {
      name: 'contract tests, over real repositories and the GitHub emulator',
      command: ['ava', 'test/contract/**'],
      counts: 'tests',
      remedy: 'npx ava FILE --match "*words of the title*" runs one of them; they need git',
    },
    {
      name: 'cluster and end-to-end tests, in the lab',
      command: ['node', 'test/lab/main.ts', 'exec', '--', 'ava', '--serial', '--concurrency', '1', 'test/cluster/**', 'test/e2e/**'],
      counts: 'tests',
      remedy: 'where the lab could not start, its error above says what is missing; npm run lab -- build shows it alone',
    },
  ],
};
