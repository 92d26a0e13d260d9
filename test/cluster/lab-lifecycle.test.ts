import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { cachedPath, PARTS, partPath } from '../lab/parts.ts';

/** A lab within the lab, or beside it: these tests run inside and outside alike. */
interface Started {
  readonly parent: ChildProcess;
  /** The inner process, first of its namespaces. */
  readonly inner: number;
  readonly seconds: number;
  readonly namespace: string;
  readonly cache: string;
  /** What lay in the cache folder before the lab started. */
  readonly before: readonly string[];
}

/** A cache folder of its own, with the parts linked from where they are. */
function ownCache(): string {
  const cache = mkdtempSync(join(tmpdir(), 'serin-lab-lifecycle-'));
  const places = PARTS.map((part) => ({ here: partPath(part.name), key: cachedPath(part).split('/').slice(-2).join('/') }));
  for (const { here, key } of places) {
    mkdirSync(dirname(join(cache, key)), { recursive: true });
    symlinkSync(here, join(cache, key));
  }
  mkdirSync(join(cache, 'run'));
  return cache;
}

async function start(): Promise<Started> {
  const cache = ownCache();
  const before = files(cache);
  const lab = join(import.meta.dirname, '..', 'lab', 'lab.ts');
  const script = `import { inLab } from ${JSON.stringify(lab)};
    await inLab(['sleep', '600'], { prometheus: 'meanwhile', forget: ${JSON.stringify(join(cache, 'running.json'))}, onEvent: (event) => console.log(JSON.stringify(event)) });`;
  const env = { ...process.env, SERIN_LAB_CACHE: cache };
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let up: { pid: number; seconds: number } | undefined;
  for await (const line of createInterface({ input: parent.stdout })) {
    const event = JSON.parse(line);
    if (event.event === 'up') up = event;
    // By then it has nothing more to say, so that a broken pipe cannot end it by chance.
    if (event.event !== 'prometheus-up' || up === undefined) continue;
    return { parent, inner: up.pid, seconds: up.seconds, namespace: readlinkSync(`/proc/${up.pid}/ns/net`), cache, before };
  }
  throw new Error('the lab did not come up');
}

function files(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

/** Processes in the network namespace, and any that was started for this lab and is elsewhere. */
function processes({ namespace, cache }: Started): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/ns/net`) === namespace || readFileSync(`/proc/${pid}/environ`, 'utf8').includes(cache);
    } catch {
      return false;
    }
  });
}

const leavesNothing = test.macro(async (t, end: (lab: Started) => void) => {
  const lab = await start();
  t.true(lab.seconds < 15, `up after ${lab.seconds} s`);
  t.true(processes(lab).length >= 5, 'the parts run in a namespace of their own');
  await sleep(300);
  end(lab);
  const began = Date.now();
  while (processes(lab).length > 0 && Date.now() - began < 5000) await sleep(20);
  t.deepEqual(processes(lab), [], 'all gone within 5 s, and the namespace with the last of them');
  t.deepEqual(files(lab.cache), lab.before);
  rmSync(lab.cache, { recursive: true });
});

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

test.serial('given a running lab, when whoever started it is killed, then nothing is left', leavesNothing, ({ parent }) =>
  parent.kill('SIGKILL'),
);
test.serial('given a running lab, when the process that holds its namespaces is killed, then nothing is left', leavesNothing, ({ inner }) =>
  process.kill(parentOf(inner), 'SIGKILL'),
);
test.serial('given a running lab, when its inner process is killed, then nothing is left', leavesNothing, ({ inner }) =>
  process.kill(inner, 'SIGKILL'),
);
test.serial('given a running lab, when whoever started it is asked to end, then nothing is left', leavesNothing, ({ parent }) =>
  parent.kill('SIGTERM'),
);
