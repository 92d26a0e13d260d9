import { spawn } from 'node:child_process';

/** The git binary said no. `output` is what it wrote to standard output before, which merge-tree uses for conflicts. */
export class GitError extends Error {
  readonly code: number | null;
  readonly output: string;
  constructor(args: readonly string[], code: number | null, output: string, stderr: string) {
    super(`git ${args[0]}: ${stderr.trim() || `exit code ${code}`}`);
    this.code = code;
    this.output = output;
  }
}

const environment = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };

/** Runs git without anybody's settings. @throws GitError */
export function runGit(args: readonly string[], cwd: string, input?: string | Buffer, env: Record<string, string> = {}): Promise<Buffer> {
  return new Promise((done, failed) => {
    const child = spawn('git', args, { cwd, env: { ...environment, ...env }, stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => {}); // git may end before it has read all; its exit code says why
    child.on('error', failed);
    child.on('close', (code) => {
      const output = Buffer.concat(out);
      if (code === 0) done(output);
      else
        failed(
          new GitError(
            args.filter((a) => a !== '--git-dir' && a !== cwd),
            code,
            output.toString(),
            Buffer.concat(err).toString(),
          ),
        );
    });
    child.stdin.end(input);
  });
}
