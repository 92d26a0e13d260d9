/** Who tries again: this run, the next one, or no one until a person has looked. */
export type Retry = 'this run' | 'next run' | 'never';

/** What happened, to what, what to do next, and who tries again. The message never carries a secret's value. */
export class SerinError extends Error {
  override readonly name: string = 'SerinError';
  readonly code: `E_${string}`;
  readonly hint: string;
  readonly retry: Retry;
  constructor(code: `E_${string}`, message: string, { hint, retry, cause }: { hint: string; retry: Retry; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.retry = retry;
  }
}

/** One mistake in a file that a person wrote. Line and column count from 1. */
export interface Mistake {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly expected: string;
  readonly found: string;
}

/** All the mistakes of one reading, at once. Nothing has been changed anywhere when it is thrown. Exit code 2. */
export class InputError extends SerinError {
  override readonly name = 'InputError';
  readonly mistakes: readonly Mistake[];
  constructor(mistakes: readonly Mistake[]) {
    super('E_INPUT', mistakes.map(mistakeLine).join('\n'), {
      hint: 'mend the places named and run it again; nothing was changed',
      retry: 'never',
    });
    this.mistakes = mistakes;
  }
}

/** file:line:column: expected ..., found ... */
export function mistakeLine({ file, line, column, expected, found }: Mistake): string {
  return `${file}:${line}:${column}: expected ${expected}, found ${found}`;
}

/** For the branch that types say cannot be reached. */
export function unreachable(value: never): never {
  throw new SerinError('E_UNREACHABLE', `no branch for ${JSON.stringify(value)}`, {
    hint: 'this is a mistake in serin: please report it with the line above',
    retry: 'never',
  });
}
