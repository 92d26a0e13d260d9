/** One tick as a GitHub Action: the inputs of action.yml become what `serin tick` reads. The runner hands them over as INPUT_NAME. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, env } from 'node:process';

const folder = await mkdtemp(join(env['RUNNER_TEMP'] ?? tmpdir(), 'serin-'));
try {
  if (env['INPUT_TOKEN']) env['GITHUB_TOKEN'] = env['INPUT_TOKEN'];
  if (env['INPUT_REPOSITORY']) env['GITHUB_REPOSITORY'] = env['INPUT_REPOSITORY'];
  env['KUBECONFIG'] = join(folder, 'kubeconfig');
  await writeFile(env['KUBECONFIG'], env['INPUT_KUBECONFIG'] ?? '', { mode: 0o600 });
  argv.splice(2, Number.POSITIVE_INFINITY, 'tick', '--budget', env['INPUT_BUDGET'] ?? '4m');
  await import('../../src/cli/main.ts');
  if (env['GITHUB_OUTPUT']) await appendFile(env['GITHUB_OUTPUT'], `code=${process.exitCode ?? 0}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
