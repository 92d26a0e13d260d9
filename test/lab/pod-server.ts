import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour } from './behaviour.ts';
import { RequestMetrics } from './metrics.ts';

/** What a running container answers with, on each of its ports. */
export interface PodServer {
  /** No connection outlives the answer that is on it. */
  drain(): void;
  close(): void;
}

/**
 * Listens on a pod's own address. GET / says version and pod, and fails as often as the behaviour says; GET /metrics counts all other requests.
 * @throws Error when a port cannot be bound
 */
export async function serve(address: string, ports: readonly number[], pod: string, behaviour: Behaviour): Promise<PodServer> {
  const metrics = new RequestMetrics();
  let draining = false;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics.text());
      return;
    }
    const began = performance.now();
    request.resume();
    if (behaviour.latencyMs > 0) await sleep(behaviour.latencyMs);
    const code = Math.random() < behaviour.errorRate ? 500 : 200;
    const headers = { 'content-type': 'application/json', 'x-version': behaviour.version, 'x-pod': pod };
    response.writeHead(code, headers).end(`${JSON.stringify({ version: behaviour.version, pod })}\n`);
    metrics.observe(code, (performance.now() - began) / 1000);
  };
  const servers = await Promise.all(ports.map((port) => listen(address, port, handle)));
  return {
    drain: () => {
      draining = true;
    },
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

function listen(
  address: string,
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server> {
  // Longer than callers keep idle connections, so that it is they who let go of one, never a request in flight.
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => void handle(request, response));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => resolve(server));
  });
}
