import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';

/** A machine with a Go of our own making, which counts its builds and takes as long as it is told. */
interface Machine {
  readonly cache: string;
  readonly builds: () => number;
  readonly ensure: () => { readonly child: ChildProcess; readonly said: Promise<string> };
}

interface Go {
  readonly version?: string;
  readonly buildSeconds?: number;
  readonly exitCode?: number;
}

function machine(t: ExecutionContext, { version = 'go1.26.0', buildSeconds = 0, exitCode = 0 }: Go): Machine {
  const home = mkdtempSync(join(tmpdir(), 'serin-lab-parts-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const log = join(home, 'builds');
  writeFileSync(log, '');
  const go = `#!/bin/sh
if [ "$1 $2" = "env GOVERSION" ]; then echo ${version}; exit; fi
if [ "$1" = env ]; then echo ${home}/go-build; echo ${home}/go-mod; exit; fi
echo build >> ${log}; sleep ${buildSeconds}; [ ${exitCode} = 0 ] || { echo "no such package" >&2; exit ${exitCode}; }
while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\\n' > "$2"; chmod +x "$2"\n`;
  writeFileSync(join(home, 'go'), go);
  chmodSync(join(home, 'go'), 0o755);
  const cache = join(home, 'cache');
  const script = `import { ensureParts } from ${JSON.stringify(join(import.meta.dirname, '..', 'lab', 'parts.ts'))};
    await ensureParts(['etcd'], (event) => console.log(event.event)).then((paths) => console.log(paths.etcd), (error) => console.log(error.code, error.message, error.hint));`;
  const env = { PATH: `${home}:/usr/bin:/bin`, HOME: home, SERIN_LAB_CACHE: cache };
  const ensure = () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    return { child, said: new Promise<string>((resolve) => child.once('close', () => resolve(said))) };
  };
  return { cache, builds: () => readFileSync(log, 'utf8').split('\n').length - 1, ensure };
}

async function begun({ builds }: Machine): Promise<void> {
  while (builds() === 0) await sleep(20);
}

test('given an empty cache, when a part is asked for twice, then it is built once and its time is kept', async (t) => {
  const here = machine(t, {});
  t.regex(await here.ensure().said, /building\nbuilt\n/);
  const path = (await here.ensure().said).split('\n')[1] ?? '';
  t.true(existsSync(path));
  t.is(here.builds(), 1);
  t.deepEqual(readdirSync(dirname(path)), ['etcd']);
  t.deepEqual(Object.keys(JSON.parse(readFileSync(join(here.cache, 'times.json'), 'utf8'))), ['etcd']);
});

test('given two that need a part at once, then one builds and the other waits for it', async (t) => {
  const here = machine(t, { buildSeconds: 1.5 });
  const [first, second] = await Promise.all([here.ensure().said, here.ensure().said]);
  t.is(here.builds(), 1);
  t.is([first, second].filter((said) => said.includes('built')).length, 1);
  t.is([first, second].filter((said) => said.includes('found')).length, 1);
});

test('given a builder that was killed, when the part is asked for again, then it is built, and nothing half done was ever in its place', async (t) => {
  const here = machine(t, { buildSeconds: 1 });
  const first = here.ensure();
  await begun(here);
  first.child.kill('SIGKILL');
  await first.said;
  const path = (await here.ensure().said).trim().split('\n').pop() ?? '';
  t.is(here.builds(), 2);
  t.regex(readFileSync(path, 'utf8'), /^#!/);
});

const refuses = test.macro(async (t, go: Go, says: RegExp) => t.regex(await machine(t, go).ensure().said, says));

test(
  'given a Go that is too old, then the error says which one is needed and where to get it',
  refuses,
  { version: 'go1.22.3' },
  /E_LAB_GO .*Go 1\.26 or newer: go1\.22\.3 install Go from/,
);
test(
  "given a build that fails, then the error carries Go's own words",
  refuses,
  { exitCode: 1 },
  /E_LAB_BUILD etcd could not be built: no such package/,
);
