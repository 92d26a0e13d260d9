import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
let folder = '';
let repository = '';

const FILES: Readonly<Record<string, string>> = {
  'serin.yaml': `apiVersion: serin.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
spec: {clusters: {here: {}}}
`,
  'releases/greeting/release.yaml': `apiVersion: serin.dev/v1alpha1
kind: Release
metadata: {name: greeting}
spec: {namespace: scheduled}
`,
  'releases/greeting/greeting.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: greeting}
data: {text: hello}
`,
};

/** Writes a repository's files into a new directory. */
async function write(files: Readonly<Record<string, string>>): Promise<string> {
  const at = await mkdtemp(join(folder, 'repository-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(at, path)), { recursive: true });
    await writeFile(join(at, path), text);
  }
  return at;
}

test.before('given the bundles', async () => {
  folder = await mkdtemp(join(tmpdir(), 'serin-functions-'));
  await run('node', ['infra/build.ts', '--out', folder], { cwd: root });
  repository = await write(FILES);
  await run('kubectl', ['create', 'namespace', 'scheduled']);
});
test.after.always(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Invokes the handler in a process of its own, as a platform would, with so many milliseconds left. */
async function invoke(
  environment: Readonly<Record<string, string>>,
  remaining = 30_000,
): Promise<{ answer: Record<string, unknown>; lines: string[] }> {
  const script = `const { handler } = await import(${JSON.stringify(join(folder, 'schedule.mjs'))});
const answer = await handler({}, { getRemainingTimeInMillis: () => ${remaining} });
console.log(JSON.stringify(answer));`;
  const { stdout } = await run('node', ['--input-type=module', '--eval', script], { env: { ...process.env, ...environment } });
  const lines = stdout.trim().split('\n');
  return { answer: JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>, lines };
}

test.serial(
  'given a repository in a directory, when the bundled function is invoked, then what Git has is in the cluster and the answer counts it',
  async (t) => {
    const { answer, lines } = await invoke({ SERIN_REPO: repository, SERIN_BUDGET: '0s' });
    t.like(answer, { idle: false, failures: 0, looks: 1 });
    t.true(Number(answer['writes']) >= 1);
    t.true(lines.slice(0, -1).every((line) => typeof (JSON.parse(line) as { event: unknown }).event === 'string'));
    const { stdout } = await run('kubectl', [
      '--namespace',
      'scheduled',
      'get',
      'configmap',
      'greeting',
      '--output',
      'jsonpath={.data.text}',
    ]);
    t.is(stdout, 'hello');
  },
);

test.serial('given nothing left to do, when it runs as a plain program, then it writes nothing and ends with 0', async (t) => {
  const program = () =>
    run('node', [join(folder, 'schedule.mjs')], { env: { ...process.env, SERIN_REPO: repository, SERIN_BUDGET: '0s' } });
  await program();
  const { stdout } = await program();
  t.like(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), { event: 'tick', writes: 0, failures: 0 });
});

test.serial('given a mistake in a file, when it runs as a plain program, then its place is named and the exit code is not 0', async (t) => {
  const mistaken = await write({
    ...FILES,
    'releases/greeting/release.yaml': `${FILES['releases/greeting/release.yaml']}  colour: blue\n`,
  });
  const failed = await t.throwsAsync<Error & { code: number; stderr: string }>(
    run('node', [join(folder, 'schedule.mjs')], { env: { ...process.env, SERIN_REPO: mistaken } }),
  );
  t.true(Number(failed?.code) > 0);
  t.regex(failed?.stderr ?? '', /releases\/greeting\/release\.yaml:\d+:\d+: expected/);
});

test.serial('given the bundled action without a repository, then it says what to set, and no kubeconfig stays behind', async (t) => {
  const temporary = await mkdtemp(join(folder, 'runner-'));
  const output = join(folder, 'output');
  const failed = await t.throwsAsync<Error & { stderr: string }>(
    run('node', [join(folder, 'action.mjs')], {
      env: { PATH: process.env['PATH'], RUNNER_TEMP: temporary, GITHUB_OUTPUT: output, INPUT_KUBECONFIG: 'kind: Config' },
    }),
  );
  t.regex(failed?.stderr ?? '', /E_NO_SOURCE.*\n.*GITHUB_REPOSITORY/);
  await t.notThrowsAsync(stat(output));
  const { stdout } = await run('ls', ['-A', temporary]);
  t.is(stdout, '');
});

test.serial('given the same sources, when they are bundled again, then the bytes are the same', async (t) => {
  const again = await mkdtemp(join(folder, 'again-'));
  await run('node', ['infra/build.ts', '--out', again], { cwd: root });
  await t.notThrowsAsync(run('cmp', [join(folder, 'schedule.mjs'), join(again, 'schedule.mjs')]));
});
