import { spawn } from 'node:child_process';
import { SerinError } from '../errors.ts';

/** Git answered with an exit code; what it said is in the message, without anybody's password. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly code: number | null;
  constructor(command: string, code: number | null, said: string) {
    super(`git ${command}: ${withoutPassword(said.trim()) || `exit code ${code}`}`);
    this.code = code;
  }
}

/** user:password@ of an address is nobody's business. */
export function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/@\s]+@/g, '//***@');
}

/** Settings by which a repository or an address could make git run something, ask somebody, or write while we read. */
const guarded = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh', LC_ALL: 'C' };

/** The caller's environment without what would point git at another repository, as inside a hook. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, GIT_COMMON_DIR: _common, ...rest } = process.env;
  return { ...rest, ...guarded };
}

/**
 * Runs the git binary in a folder and gives back its output.
 * @throws GitFailure when git says no; SerinError E_NO_GIT when there is no git; the signal's reason when the caller gave up
 */
export function runGit(folder: string, args: readonly string[], signal: AbortSignal, input = ''): Promise<Buffer> {
  return new Promise((done, failed) => {
    if (signal.aborted) return failed(signal.reason);
    const child = spawn('git', args, { cwd: folder, env: environment(), signal, stdio: 'pipe' });
    const out: Buffer[] = [];
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    child.stdin.on('error', () => {}); // git may end before it has read everything; its exit code tells why
    child.on('error', (error: NodeJS.ErrnoException) =>
      failed(signal.aborted ? signal.reason : error.code === 'ENOENT' ? noGit(folder, error) : error),
    );
    child.on('close', (code) =>
      code === 0 ? done(Buffer.concat(out)) : failed(new GitFailure(command(args), code, Buffer.concat(said).toString())),
    );
    child.stdin.end(input);
  });
}

/** The command among the arguments, past settings given by -c. */
function command(args: readonly string[]): string {
  const [first = '', , ...rest] = args;
  return first === '-c' ? command(rest) : first;
}

/** ENOENT means a missing binary or a missing folder: the message names both. */
function noGit(folder: string, cause: Error): SerinError {
  return new SerinError('E_NO_GIT', `cannot run git in ${folder}`, {
    hint: 'check that the folder is there and that git is on PATH',
    retry: 'never',
    cause,
  });
}

/** The one line that git answers, or undefined when it says no. */
export async function askGit(folder: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await runGit(folder, args, signal)).toString().trimEnd();
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}
