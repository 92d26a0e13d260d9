import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { prometheus } from '../../../src/metrics/prometheus.ts';
import type { MetricsAnswer, RangeQuery } from '../../../src/ports.ts';
import type { Instant, Seconds } from '../../../src/units.ts';

const QUERY: RangeQuery = { query: 'sum(rate(x[1m]))', start: 1000 as Instant, end: 1120 as Instant, step: 60 as Seconds };
const NEVER = new AbortController().signal;

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that gives these answers in turn, the last one again and again. */
async function answering(
  t: ExecutionContext,
  ...answers: readonly ((response: ServerResponse) => void)[]
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers, body: await text(request) });
    answers[Math.min(seen.length, answers.length) - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const says = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
};
const matrix = (result: unknown, more: object = {}) => ({ status: 'success', data: { resultType: 'matrix', result }, ...more });
const silent = () => {};

const reads = test.macro(async (t, status: number, body: unknown, then: MetricsAnswer, tries?: number) => {
  const { url, seen } = await answering(t, says(status, body));
  t.deepEqual(await prometheus({ url }).queryRange(QUERY, NEVER), then);
  t.is(seen.length, tries ?? 1);
});

const unreadable = (why: string): MetricsAnswer => ({ kind: 'unavailable', why: `the answer cannot be read: ${why}` });

test(
  'given a matrix, then its labels and points are given as numbers, NaN and infinities kept',
  reads,
  200,
  matrix([
    {
      metric: { pod: 'a' },
      values: [
        [1000, '0.5'],
        [1060.5, 'NaN'],
        [1120, '+Inf'],
        [1180, '-Inf'],
        [1240, '1e+06'],
      ],
    },
  ]),
  {
    kind: 'series',
    series: [
      {
        labels: { pod: 'a' },
        points: [
          [1000, 0.5],
          [1060.5, Number.NaN],
          [1120, Number.POSITIVE_INFINITY],
          [1180, Number.NEGATIVE_INFINITY],
          [1240, 1e6],
        ],
      },
    ],
    warnings: [],
  },
);
test('given no series at all, then that is an answer with none', reads, 200, matrix([]), { kind: 'series', series: [], warnings: [] });
test('given a partial answer, then its warnings are kept', reads, 200, matrix([], { warnings: ['store eu-2 is down'] }), {
  kind: 'series',
  series: [],
  warnings: ['store eu-2 is down'],
});
test(
  'given a bad query, then it is unavailable in the words of the server, and not asked again',
  reads,
  400,
  { status: 'error', errorType: 'bad_data', error: 'parse error at char 4' },
  { kind: 'unavailable', why: 'HTTP 400: bad_data: parse error at char 4' },
);
test(
  'given a query that cannot be executed, then it is unavailable',
  reads,
  422,
  { status: 'error', errorType: 'execution', error: 'too many samples' },
  { kind: 'unavailable', why: 'HTTP 422: execution: too many samples' },
);
test('given refused credentials, then it is unavailable and not asked again', reads, 401, 'Unauthorized', {
  kind: 'unavailable',
  why: 'HTTP 401',
});
test(
  'given a gateway that stays broken, then it is unavailable after three tries',
  reads,
  502,
  '<html>',
  { kind: 'unavailable', why: 'HTTP 502' },
  3,
);
test('given an answer that is not JSON, then it is unavailable', reads, 200, '<html>', unreadable('it does not say success'));
test(
  'given a vector where a matrix was asked for, then it is unavailable',
  reads,
  200,
  { status: 'success', data: { resultType: 'vector', result: [] } },
  unreadable('its result is vector, not a matrix'),
);
test(
  'given a value that is no number, then nothing of the answer is believed',
  reads,
  200,
  matrix([
    {
      metric: {},
      values: [
        [1000, '1'],
        [1060, ''],
      ],
    },
  ]),
  unreadable('a series in it is malformed'),
);
test(
  'given a value that is not a text, then nothing of the answer is believed',
  reads,
  200,
  matrix([{ metric: {}, values: [[1000, 1]] }]),
  unreadable('a series in it is malformed'),
);
test(
  'given native histograms, then the way out is named',
  reads,
  200,
  matrix([{ metric: {}, histograms: [] }]),
  unreadable('it holds native histograms: wrap the query in histogram_quantile or histogram_fraction'),
);

test('given a gateway that breaks once, when asked, then the second try answers', async (t) => {
  const { url, seen } = await answering(t, says(503, ''), says(200, matrix([])));
  t.deepEqual(await prometheus({ url }).queryRange(QUERY, NEVER), { kind: 'series', series: [], warnings: [] });
  t.is(seen.length, 2);
});

test('given a URL with a prefix and a user, when asked, then the form goes below the prefix, with basic auth and the headers given', async (t) => {
  const { url, seen } = await answering(t, says(200, matrix([])));
  const secret = url.replace('http://', 'http://ann:p%40ss@');
  await prometheus({ url: `${secret}/prometheus/`, headers: { 'x-scope-orgid': 'shop' } }).queryRange(QUERY, NEVER);
  t.is(seen[0]?.url, '/prometheus/api/v1/query_range');
  t.is(seen[0]?.headers.authorization, `Basic ${Buffer.from('ann:p@ss').toString('base64')}`);
  t.is(seen[0]?.headers['x-scope-orgid'], 'shop');
  t.deepEqual(Object.fromEntries(new URLSearchParams(seen[0]?.body)), {
    query: QUERY.query,
    start: '1000',
    end: '1120',
    step: '60',
    timeout: '10s',
  });
});

test('given a server that says nothing, when the timeout has passed, then it is unavailable', async (t) => {
  const { url, seen } = await answering(t, silent);
  const answer = await prometheus({ url, timeout: 0.1 as Seconds }).queryRange(QUERY, NEVER);
  t.deepEqual(answer, { kind: 'unavailable', why: `no answer from ${new URL(url).host} within 0.1 s` });
  t.is(seen.length, 1);
});

test('given a server that hangs up, when asked, then it is unavailable and names host and reason, never the password', async (t) => {
  const { url } = await answering(t, (response) => response.destroy());
  const answer = await prometheus({ url: url.replace('http://', 'http://ann:hunter2@') }).queryRange(QUERY, NEVER);
  t.is(answer.kind, 'unavailable');
  t.regex((answer as { why: string }).why, /^cannot reach 127\.0\.0\.1:\d+/);
  t.notRegex((answer as { why: string }).why, /hunter2/);
});

test('given a stop while waiting, then it throws what the stop says', async (t) => {
  const { url } = await answering(t, silent);
  const stop = new AbortController();
  const asked = prometheus({ url }).queryRange(QUERY, stop.signal);
  setTimeout(() => stop.abort(new Error('the tick is over')), 20);
  await t.throwsAsync(asked, { message: 'the tick is over' });
});

test('given a stop between two tries, then it throws what the stop says', async (t) => {
  const stop = new AbortController();
  const { url, seen } = await answering(t, (response) => {
    says(503, '')(response);
    setTimeout(() => stop.abort(new Error('the tick is over')), 20);
  });
  await t.throwsAsync(prometheus({ url }).queryRange(QUERY, stop.signal), { message: 'the tick is over' });
  t.is(seen.length, 1);
});
