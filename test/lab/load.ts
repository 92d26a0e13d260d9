import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** Requests under way at once at most: a target that hangs slows the load instead of piling it up. */
const IN_FLIGHT = 100;
const PER_SECOND_AT_MOST = 500;
const TIMEOUT_MS = 5000;
const BEAT_MS = 10;

export interface Load {
  readonly url: string;
  /** At most 500. */
  readonly perSecond: number;
  /** How long; without it until the signal, and one of the two is needed. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  /** The Host header. */
  readonly host?: string;
}

/** What has been sent and answered so far. A failure is no answer, or one that is not 2xx. */
export interface Counts {
  sent: number;
  failed: number;
  /** By the answer's x-version; 'none' where there was none. */
  readonly byVersion: Record<string, { ok: number; failed: number }>;
}

/** Load that runs: `counts` change while it does, `done` resolves with them once the last answer is in. */
export interface RunningLoad {
  readonly counts: Counts;
  readonly done: Promise<Counts>;
}

/** @throws RangeError when it has neither an end nor a bound */
export function startLoad({ url, perSecond, seconds, signal, host }: Load): RunningLoad {
  if (!(perSecond > 0 && perSecond <= PER_SECOND_AT_MOST))
    throw new RangeError(`from 1 to ${PER_SECOND_AT_MOST} requests a second, not ${perSecond}`);
  if (seconds === undefined && signal === undefined) throw new RangeError('load needs an end: seconds or a signal');
  const counts: Counts = { sent: 0, failed: 0, byVersion: {} };
  const dispatcher = new Agent({ connections: IN_FLIGHT, allowH2: false, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const headers = host === undefined ? {} : { host };
  const underway = new Set<Promise<void>>();

  const one = async () => {
    counts.sent += 1;
    const [ok, version] = await request(url, { dispatcher, headers }).then(
      async (answer) => {
        await answer.body.dump();
        return [answer.statusCode >= 200 && answer.statusCode < 300, String(answer.headers['x-version'] ?? 'none')] as const;
      },
      () => [false, 'none'] as const,
    );
    if (!ok) counts.failed += 1;
    const seen = (counts.byVersion[version] ??= { ok: 0, failed: 0 });
    seen[ok ? 'ok' : 'failed'] += 1;
  };
  const run = async () => {
    const end = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
    let due = 1;
    for (let before = performance.now(); before < end && !signal?.aborted; ) {
      for (; due >= 1 && underway.size < IN_FLIGHT; due -= 1) {
        const sent = one().finally(() => underway.delete(sent));
        underway.add(sent);
      }
      await sleep(BEAT_MS);
      const now = performance.now();
      // What could not be sent for want of room is given up, not made up for later.
      due = Math.min(due + ((now - before) / 1000) * perSecond, Math.max(1, perSecond / 10));
      before = now;
    }
    await Promise.all(underway);
    await dispatcher.close();
    return counts;
  };
  return { counts, done: run() };
}

/** Sends load until its end. */
export function load(options: Load): Promise<Counts> {
  return startLoad(options).done;
}
