import test from 'ava';
import type { Gate } from '../../../src/desired/types.ts';
import { ask, judge, type Window } from '../../../src/gates/threshold.ts';
import type { MetricsAnswer } from '../../../src/ports.ts';
import { type Instant, seconds } from '../../../src/units.ts';

const gate: Gate = {
  name: 'errors',
  interval: seconds(60),
  lag: seconds(60),
  threshold: { query: 'sum(x{{{track}}})', max: 1, failureLimit: 1, minPoints: 3 },
};
const at = (t: number) => t as Instant;
const window = (entered: number, now: number): Window => ({
  release: 'shop',
  namespace: 'shop',
  canaryPods: 'c-.*',
  stablePods: 's-.*',
  startedAt: at(0),
  enteredAt: at(entered),
  now: at(now),
});

test('given a step entered off the grid, then the first point is a whole interval later, on the grid', (t) => {
  t.deepEqual(ask(gate, window(90, 400)), { query: 'sum(x{pod=~"c-.*"})', start: at(180), end: at(300), step: seconds(60) });
});
test('given less than an interval and the lag, then nothing is asked', (t) => t.is(ask(gate, window(90, 200)), undefined));

const asked = ask(gate, window(0, 400));
const answer = (values: number[], warnings: string[] = []): MetricsAnswer => ({
  kind: 'series',
  series: [{ labels: {}, points: values.map((v, i) => [60 * (i + 1), v] as const) }],
  warnings,
});
const judges = test.macro((t, given: MetricsAnswer | undefined, verdict: string, saw: RegExp) => {
  const reading = judge(gate, asked, given);
  t.is(reading.verdict, verdict as typeof reading.verdict);
  t.regex(reading.saw, saw);
});

test('given points within the range, then it passes', judges, answer([0, 0.5, 1]), 'pass', /3 points, worst 1, at most 1/);
test(
  'given more bad points than the limit, then it fails with its numbers',
  judges,
  answer([0, 3.14159, 2]),
  'fail',
  /2 of 3 points outside, first 3.142 at 1970-01-01T00:02:00Z, worst 3.142/,
);
test('given as many bad points as the limit, then it does not fail', judges, answer([0, 2, 1]), 'pass', /worst 2/);
test('given too few points, then it waits', judges, answer([0, 0]), 'wait', /2 of 3 points/);
test('given no data at all, then it never passes', judges, answer([]), 'wait', /0 of 3 points/);
test('given NaN, as 0/0 gives, then it is no value', judges, answer([Number.NaN, Number.NaN, Number.NaN]), 'wait', /0 of 3/);
test(
  'given a partial answer, then it neither passes nor fails',
  judges,
  answer([9, 9, 9], ['store is down']),
  'wait',
  /in part: store is down/,
);
test(
  'given a Prometheus that is down, then it waits',
  judges,
  { kind: 'unavailable', why: 'connection refused' },
  'wait',
  /did not answer: connection refused/,
);
test('given nothing asked yet, then it waits', judges, undefined, 'wait', /not over/);
