import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { KubeObject } from '../../src/objects.ts';

/** A request that the API server refused. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type PatchType = 'strategic-merge-patch' | 'merge-patch';

/** How the lab's own parts talk to the API server: as admin, with a token. Not serin's own client, so that neither hides the other's mistakes. */
export interface Api {
  /** @throws ApiError */
  send(method: Method, path: string, body?: unknown, patch?: PatchType): Promise<KubeObject>;
  /** Follows a collection until the signal: a list first, then a watch, and both again whenever the watch ends. */
  follow(path: string, seen: Seen, signal: AbortSignal): Promise<void>;
}

export interface Seen {
  changed(object: KubeObject): void;
  gone(object: KubeObject): void;
}

interface Watched {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

export function apiClient(server: string, token: string, ca: string): Api {
  const dispatcher = new Agent({ connect: { ca }, allowH2: false, connections: 64, bodyTimeout: 0 });
  const authorization = `Bearer ${token}`;

  const open = async (method: Method, path: string, body?: unknown, patch?: PatchType, signal?: AbortSignal) => {
    const type = patch === undefined ? 'application/json' : `application/${patch}+json`;
    const answer = await request(server + path, {
      dispatcher,
      method,
      headers: { authorization, accept: 'application/json', ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer.statusCode < 400) return answer.body;
    throw new ApiError(answer.statusCode, `${method} ${path}: ${(await answer.body.text()).slice(0, 500)}`);
  };
  const send = async (method: Method, path: string, body?: unknown, patch?: PatchType) =>
    (await (await open(method, path, body, patch)).json()) as KubeObject;

  const watch = async (path: string, from: string, seen: Seen, signal: AbortSignal) => {
    const stream = await open('GET', `${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`, undefined, undefined, signal);
    for await (const line of createInterface({ input: stream })) {
      const { type, object } = JSON.parse(line) as Watched;
      if (type === 'ERROR') return;
      if (type === 'DELETED') seen.gone(object);
      else if (type !== 'BOOKMARK') seen.changed(object);
    }
  };
  return { send, follow: (path, seen, signal) => follow(send, watch, path, seen, signal) };
}

/** Lists, tells what has gone since, watches; after every end of the watch (the API server ends each by itself) from the start. */
async function follow(
  send: Api['send'],
  watch: (path: string, from: string, seen: Seen, signal: AbortSignal) => Promise<void>,
  path: string,
  seen: Seen,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<string, KubeObject>();
  const key = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name}/${metadata.uid ?? ''}`;
  const kept: Seen = {
    changed: (object) => {
      known.set(key(object), object);
      seen.changed(object);
    },
    gone: (object) => {
      known.delete(key(object));
      seen.gone(object);
    },
  };
  while (!signal.aborted) {
    try {
      const list = (await send('GET', path)) as KubeObject & { items: KubeObject[] };
      const now = new Set(list.items.map(key));
      for (const [name, object] of known) if (!now.has(name)) kept.gone(object);
      for (const object of list.items) kept.changed(object);
      await watch(path, list.metadata.resourceVersion ?? '0', kept, signal);
    } catch (cause) {
      if (signal.aborted) return;
      if (process.env['SERIN_LAB_DEBUG']) console.error(`${path}: ${(cause as Error).message}`);
    }
    await sleep(200, undefined, { ref: false });
  }
}
