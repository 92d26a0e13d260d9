import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const MAIN = new URL('../demo/main.ts', import.meta.url).pathname;

test('given the demo, when it runs, then the good version loses no request, the bad one is rolled back, and every event is a line of JSON', async (t) => {
  t.timeout(240_000);
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--json'], { maxBuffer: 2 ** 26 });
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: string; event: string } & Record<string, unknown>);
  const names = new Set(events.map((e) => e.event));
  for (const name of [
    'lab-ready',
    'installed',
    'pull-request-opened',
    'pull-request-merged',
    'weight',
    'promoted',
    'held',
    'rollback-proposed',
    'summary',
  ]) {
    t.true(names.has(name), name);
  }
  t.true(events.every((e) => !Number.isNaN(Date.parse(e.time))));
  t.like(events.at(-1), { event: 'summary', ok: true });
});
