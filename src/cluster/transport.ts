import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Credentials } from './credentials.ts';
import { connectionFailed } from './errors.ts';
import { type Session, sessions } from './session.ts';

const inflate = promisify(gunzip);

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From the server's root, query included. */
  readonly path: string;
  readonly accept?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; application/json when absent. */
  readonly contentType?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** When the server last said what time it is: its Date header, and both of our clocks at that moment. */
export interface Told {
  readonly date: string;
  readonly monotonic: number;
  readonly wall: number;
}

/** Raw requests over one HTTP/2 connection. Any status is an answer; only what never got one is an error. */
export interface Transport {
  /** @throws SerinError E_CONNECTION, E_TLS, E_TIMEOUT; the signal's reason when it is aborted */
  send(call: Call, signal: AbortSignal): Promise<Answer>;
  requests(): Readonly<Record<string, number>>;
  told(): Told | undefined;
  /** Aborted by {@link close}: for work that no single caller owns. */
  readonly lifetime: AbortSignal;
  close(): Promise<void>;
}

/**
 * @param read how to get credentials: called once at first, and again when the server answers 401
 * @param timeout milliseconds that one request may take, its answer read to the end
 */
export async function transport(name: string, read: () => Promise<Credentials>, timeout: number): Promise<Transport> {
  const counts: Record<string, number> = {};
  const lifetime = new AbortController();
  let told: Told | undefined;
  const line = await sessions(read);

  const once = async ({ credentials, dispatcher }: Session, call: Call, signal: AbortSignal): Promise<Answer> => {
    counts[call.method] = (counts[call.method] ?? 0) + 1;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    try {
      const answer = await exchange(dispatcher, credentials, call, limited);
      if (typeof answer.headers.date === 'string') told = { date: answer.headers.date, monotonic: performance.now(), wall: Date.now() };
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailed(name, credentials.server, call.method, error, timeout);
    }
  };

  return {
    async send(call, signal) {
      signal.throwIfAborted();
      const used = await line.current();
      let answer = await resent(call, () => once(used, call, signal));
      if (answer.status === 401) answer = await once(await line.after(used), call, signal);
      const wait = retryAfter(answer);
      if (wait === undefined || wait > timeout) return answer;
      await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
      return once(await line.current(), call, signal);
    },
    requests: () => ({ ...counts }),
    told: () => told,
    lifetime: lifetime.signal,
    close: async () => {
      lifetime.abort(new Error(`the connection to ${name} is closed`));
      await line.close();
    },
  };
}

async function exchange(dispatcher: Dispatcher, { server, headers }: Credentials, call: Call, signal: AbortSignal): Promise<Answer> {
  const answer = await dispatcher.request({
    origin: server.origin,
    path: `${server.pathname.replace(/\/$/, '')}${call.path}`,
    method: call.method,
    signal,
    headers: {
      ...headers,
      accept: call.accept ?? 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': 'serin',
      ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const text = answer.headers['content-encoding'] === 'gzip' ? await inflate(bytes) : bytes;
  return { status: answer.statusCode, headers: answer.headers, text: text.toString('utf8') };
}

/** A kept connection may have died while a function was frozen. Reading again is harmless; a write is left to the next run. */
async function resent(call: Call, send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (call.method !== 'GET' || !isReset(error)) throw error;
    return send();
  }
}

function isReset(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  return cause?.code === 'ECONNRESET' || cause?.code === 'UND_ERR_SOCKET' || cause?.code === 'EPIPE';
}

/** Milliseconds that a 429 asks us to wait; undefined for any other answer. API Priority and Fairness always says how long. */
function retryAfter({ status, headers }: Answer): number | undefined {
  if (status !== 429) return undefined;
  const wait = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(wait) && wait >= 0 ? wait * 1000 : undefined;
}
