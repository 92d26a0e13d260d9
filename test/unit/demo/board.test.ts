import test from 'ava';
import { type Board, emptyBoard, next } from '../../demo/board.ts';
import { draw } from '../../demo/draw.ts';
import type { DemoEvent, VersionSample } from '../../demo/events.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const of = { release: 'shop', cluster: 'here' };
const opened = (second: number, number: number, kind: 'record' | 'advance' | 'promote' | 'rollback'): DemoEvent => ({
  time: at(second),
  event: 'pull-request-opened',
  release: 'shop',
  kind,
  number,
  title: `${kind} it`,
  url: 'https://example.com',
  branch: 'serin/x',
});
const merged = (second: number, number: number): DemoEvent => ({
  time: at(second),
  event: 'pull-request-merged',
  number,
  title: 'it',
  by: 'mia',
});
const committed = (second: number, version: string): DemoEvent => ({
  time: at(second),
  event: 'committed',
  version,
  commit: 'c0ffee',
  message: version,
});
const sample: VersionSample = { ready: 1, pods: 2, requests: 100, failed: 3, perSecond: 8, failedPerSecond: 1 };

const good: readonly DemoEvent[] = [
  { time: at(0), event: 'started', steps: [10, 100], toBuild: [], buildSeconds: 0, seconds: 80 },
  { time: at(5), event: 'lab-ready', seconds: 5 },
  { ...of, time: at(9), event: 'installed', revision: 'aaaaaaaaaa' },
  opened(9, 1, 'record'),
  merged(11, 1),
  { time: at(12), event: 'prometheus-ready' },
  committed(12, '1.1.0'),
  { ...of, time: at(15), event: 'waiting', for: 'gate', because: 'errors: 2 of 3 points' },
];
const promoted: readonly DemoEvent[] = [
  opened(16, 2, 'advance'),
  merged(20, 2),
  opened(22, 3, 'promote'),
  merged(28, 3),
  { ...of, time: at(35), event: 'promoted', revision: 'bbbbbbbbbb' },
];
const bad: readonly DemoEvent[] = [
  committed(36, '1.2.0'),
  { ...of, time: at(45), event: 'held', revision: 'cccccccccc', because: 'errors: 31 %' },
  { time: at(46), event: 'traffic', weight: 0, versions: { '1.2.0': sample } },
  opened(46, 4, 'rollback'),
  merged(48, 4),
];

const after = (events: readonly DemoEvent[]): Board => events.reduce(next, emptyBoard([10, 100], 0));
const states = test.macro((t, events: readonly DemoEvent[], then: string) =>
  t.is(
    after(events)
      .steps.map(({ id, state }) => `${id} ${state}`)
      .join(', '),
    then,
  ),
);

test(
  'given a new version at its first step, then that step is what happens now',
  states,
  good,
  'lab done, install done, record done, metrics done, at-10 now, at-100 next, promote next, bad next, back next, restore next',
);
test(
  'given merged requests and a promotion, then every step of the good version is done',
  states,
  [...good, ...promoted],
  'lab done, install done, record done, metrics done, at-10 done, at-100 done, promote done, bad next, back next, restore next',
);
test(
  'given a bad version that is rolled back, then all is done',
  states,
  [...good, ...promoted, ...bad],
  'lab done, install done, record done, metrics done, at-10 done, at-100 done, promote done, bad done, back done, restore done',
);
test(
  'given a good version that is held, then its step has failed',
  states,
  [...good, { ...of, time: at(20), event: 'held', revision: 'bbbbbbbbbb', because: 'errors: 9 %' }],
  'lab done, install done, record done, metrics done, at-10 failed, at-100 next, promote next, bad next, back next, restore next',
);

test('given a narrow terminal, then no line of the board is longer than it', (t) => {
  const diff: DemoEvent = {
    time: at(16),
    event: 'pull-request-diff',
    number: 2,
    title: 'a long title '.repeat(9),
    lines: ['releases/shop/rollout.yaml', '-  weight: 10', '+  weight: 50'],
  };
  const traffic: DemoEvent = { time: at(16), event: 'traffic', weight: 10, versions: { '1.1.0': sample } };
  const lines = draw(after([...good, traffic, opened(16, 2, 'advance'), diff]), 16_000, 60, { colour: false });
  t.deepEqual(
    lines.filter((line) => line.length > 60),
    [],
  );
  t.true(lines.includes('▸ 1.1.0 at 10 %          4 s  errors: 2 of 3 points'));
  t.true(lines.includes('  +  weight: 50') || lines.includes('  + weight: 50'));
});
