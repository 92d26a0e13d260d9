import test from 'ava';
import fc from 'fast-check';
import type { Request } from '../../../src/plan/types.ts';
import { pullRequestText } from '../../../src/report/pull-request.ts';
import { percent } from '../../../src/units.ts';
import { matchesGolden } from './golden.ts';
import { evidence, request } from './plans.ts';

const { candidate: _c, nextWeight: _n, weight: _w, ...installed } = evidence;
const kinds: [string, Request][] = [
  [
    'record',
    {
      ...request('record'),
      evidence: {
        ...installed,
        because: '5c1f0c2d9e is up, and Git does not say so yet',
        readings: [],
        observed: {},
        steps: [],
        changes: [],
      },
    },
  ],
  ['advance', request('advance')],
  [
    'promote',
    request('promote', {
      because: '100 % has held for 10m and its gates pass',
      weight: percent(100),
      nextWeight: percent(100),
      steps: evidence.steps.map((step) => ({ ...step, state: 'done' })),
    }),
  ],
  [
    'rollback',
    request(
      'rollback',
      {
        because: 'errors: 31.2 % of 410 requests, at most 5 %',
        weight: percent(0),
        nextWeight: percent(0),
        readings: [{ verdict: 'fail', gate: 'errors', saw: '31.2 % of 410 requests, at most 5 %' }],
      },
      { 'releases/shop/rollout.yaml': 'text', 'releases/shop/deployment.yaml': 'text', 'releases/shop/new.yaml': null },
    ),
  ],
];

kinds.push(['advance-first-look', request('advance', { readings: [] })]);

const reads = test.macro((t, name: string, given: Request) => {
  const { title, body, message } = pullRequestText(given);
  matchesGolden(t, `${name}.md`, `title: ${title}\n\n${body}\n--- message ---\n${message}`);
});
for (const [kind, given] of kinds)
  test(`given a request to ${kind}, then its title, body and commit message read as the golden file`, reads, kind, given);

test('given thousands of differences, when the body is written, then whole lines go and the way to stop it stays', (t) => {
  const change = evidence.changes[0];
  if (!change) return t.fail();
  const { body } = pullRequestText(request('advance', { changes: Array.from({ length: 5000 }, () => change) }));
  t.true(body.length <= 58_000);
  t.regex(body, /\d+ more lines left out here/);
  t.regex(body, /### How to stop it\n\n- Close this request/);
  t.regex(body, /50 %/);
});

test('given any text from a cluster, then a title is one line, a body fits, and trailers stay trailers', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1, maxLength: 70_000, size: 'max' }), (because, saw) => {
        const { title, body, message } = pullRequestText(
          request('rollback', { because, readings: [{ verdict: 'fail', gate: 'errors', saw }] }),
        );
        const last = message.trimEnd().split('\n\n').at(-1)?.split('\n') ?? [];
        return !title.includes('\n') && body.length <= 58_000 && last.length === 4 && last.every((line) => line.startsWith('Serin-'));
      }),
      { numRuns: 50, endOnFailure: true },
    ),
  );
});

test('given a text that mentions people and opens tags, then nobody is mentioned and no tag is open', (t) => {
  const { body } = pullRequestText(request('advance', { because: '@everyone see #12 <img src=x> | `rm`' }));
  t.false(body.includes('@everyone') || body.includes('#12') || body.includes('<img'));
});
