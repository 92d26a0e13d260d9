import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { HOST, PORTS } from './addresses.ts';
import { type Backend, chooseBackend, type Entry, findEntry } from './gateway-table.ts';

/** Requests that the gateway has answered since its start, for people to watch. */
export interface Stats {
  requests: number;
  /** By Service (namespace/name) and by the answer's x-version: how many went well, and how many were answered with 500 and above. */
  readonly byService: Record<string, Outcome>;
  readonly byVersion: Record<string, Outcome>;
}

export interface Outcome {
  ok: number;
  failed: number;
}

export interface Proxy {
  /** In force from the next request on. */
  use(table: readonly Entry[]): void;
}

/** Forwards by the table, on {@link PORTS}.gateway; tells its counts on {@link PORTS}.gatewayStats at /stats. */
export async function startProxy(signal: AbortSignal): Promise<Proxy> {
  let table: readonly Entry[] = [];
  const stats: Stats = { requests: 0, byService: {}, byVersion: {} };
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const turns = new Map<string, number>();
  const front = createServer((asked, answer) => {
    const [path = '/'] = (asked.url ?? '/').split('?');
    const host = (asked.headers.host ?? '').replace(/:\d+$/, '');
    const entry = findEntry(table, host, path, asked.method ?? 'GET', asked.headers);
    const backend = entry === undefined ? undefined : chooseBackend(entry.backends, Math.random());
    const done = (status: number, version?: string) => count(stats, backend, status, version);
    if (entry === undefined) return refuse(answer, 404, 'no route', done);
    if (backend === undefined || backend.broken) return refuse(answer, 500, backend?.broken?.message ?? 'the rule has no backend', done);
    if (backend.endpoints.length === 0) return refuse(answer, 503, `no ready endpoint for ${backend.service}`, done);
    const turn = (turns.get(backend.service) ?? 0) + 1;
    turns.set(backend.service, turn);
    const endpoint = (attempt: number) => backend.endpoints[(turn + attempt) % backend.endpoints.length] as string;
    return forward(agent, asked, answer, endpoint, 0, done);
  });
  const side = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(stats)}\n`);
  });
  await Promise.all([listening(front, PORTS.gateway), listening(side, PORTS.gatewayStats)]);
  signal.addEventListener('abort', () => [front, side].map((server) => server.close()), { once: true });
  return {
    use: (next) => {
      table = next;
    },
  };
}

function listening(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
}

type Done = (status: number, version?: string) => void;

/**
 * Sends a request to an endpoint. It goes to another one, once, only where no connection could be made. A pod that goes away with a request in its hands is
 * a failed request here: that is what the lab is to show. Answers are passed on as they are, errors too.
 */
function forward(
  agent: Agent,
  asked: IncomingMessage,
  answer: ServerResponse,
  endpoint: (attempt: number) => string,
  attempt: number,
  done: Done,
): void {
  const [host, port] = endpoint(attempt).split(':');
  const bare = asked.headers['content-length'] === undefined && asked.headers['transfer-encoding'] === undefined;
  const headers = { ...asked.headers, 'x-forwarded-for': asked.socket.remoteAddress ?? '' };
  const sent = request({ host, port, agent, path: asked.url, method: asked.method, headers, timeout: 30_000 });
  sent.once('response', (got) => {
    const status = got.statusCode ?? 502;
    done(status, got.headers['x-version'] as string | undefined);
    const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = got.headers;
    answer.writeHead(status, kept);
    got.pipe(answer);
    got.once('error', () => answer.destroy());
  });
  sent.once('timeout', () => sent.destroy(new Error('no answer within 30 s')));
  sent.once('error', (cause: NodeJS.ErrnoException) => {
    if (answer.headersSent) return answer.destroy();
    const unsent = cause.syscall === 'connect';
    if (attempt === 0 && bare && unsent) return forward(agent, asked, answer, endpoint, 1, done);
    return refuse(answer, 502, `${host}:${port}: ${cause.message}`, done);
  });
  if (bare) sent.end();
  else asked.pipe(sent);
}

function refuse(answer: ServerResponse, status: number, why: string, done: Done): void {
  done(status);
  answer.writeHead(status, { 'content-type': 'text/plain' }).end(`${why}\n`);
}

function count(stats: Stats, backend: Backend | undefined, status: number, version = 'none'): void {
  stats.requests += 1;
  const field = status < 500 ? 'ok' : 'failed';
  for (const [by, name] of [
    [stats.byService, backend?.service ?? 'none'],
    [stats.byVersion, version],
  ] as const) {
    const outcome = (by[name] ??= { ok: 0, failed: 0 });
    outcome[field] += 1;
  }
}
