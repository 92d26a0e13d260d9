import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics, MetricsAnswer, RangeQuery } from '../ports.ts';
import type { Seconds } from '../units.ts';
import { errorOf, readMatrix } from './answer.ts';

export interface PrometheusOptions {
  /** Base URL, a path prefix included: http://prometheus.monitoring:9090 or https://example.org/prometheus. User and password in it become basic auth. */
  readonly url: string;
  /** Authorization, X-Scope-OrgID and the like. Never printed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one try may take; 10 s. The server is told so as well. */
  readonly timeout?: Seconds;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a server or what stands before it answers when trying again may help. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Two more tries after about 0.2 and 0.4 s: enough for a restart of a proxy, little of a tick's time. */
const PAUSES = [200, 400];

type Try = MetricsAnswer | { readonly kind: 'again'; readonly why: string };

/**
 * Range queries over Prometheus' HTTP API, POSTed because selectors outgrow URLs. Whatever goes wrong is an answer: only an aborted signal throws.
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries
 */
export function prometheus({ url, headers = {}, timeout = 10 as Seconds, fetch = globalThis.fetch }: PrometheusOptions): Metrics {
  const { endpoint, authorization } = endpointOf(url);
  const once = async (query: RangeQuery, signal: AbortSignal): Promise<Try> => {
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { accept: 'application/json', ...authorization, ...headers },
        body: form(query, timeout),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout * 1000)]),
      });
      return judged(response.status, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      return unreached(endpoint, error, timeout);
    }
  };
  return {
    async queryRange(query, signal) {
      signal.throwIfAborted();
      let seen = await once(query, signal);
      for (const pause of PAUSES) {
        if (seen.kind !== 'again') return seen;
        await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
        seen = await once(query, signal);
      }
      return seen.kind === 'again' ? { kind: 'unavailable', why: seen.why } : seen;
    },
  };
}

/** fetch refuses URLs with a user in them; they would also end up in messages. */
function endpointOf(url: string): { endpoint: string; authorization: Record<string, string> } {
  const base = new URL(url);
  const { username, password } = base;
  base.username = '';
  base.password = '';
  base.search = '';
  base.hash = '';
  base.pathname = `${base.pathname.replace(/\/$/, '')}/api/v1/query_range`;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  return { endpoint: base.href, authorization: username === '' ? {} : authorization };
}

function form({ query, start, end, step }: RangeQuery, timeout: Seconds): URLSearchParams {
  return new URLSearchParams({ query, start: String(start), end: String(end), step: String(step), timeout: `${timeout}s` });
}

function judged(status: number, text: string): Try {
  if (status === 200) return readMatrix(text);
  const why = `HTTP ${status}${errorOf(text)}`;
  return PASSING.has(status) ? { kind: 'again', why } : { kind: 'unavailable', why };
}

function unreached(endpoint: string, error: unknown, timeout: Seconds): Try {
  const { host } = new URL(endpoint);
  if (error instanceof Error && error.name === 'TimeoutError')
    return { kind: 'unavailable', why: `no answer from ${host} within ${timeout} s` };
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return { kind: 'again', why: `cannot reach ${host}${typeof cause?.code === 'string' ? `: ${cause.code}` : ''}` };
}
