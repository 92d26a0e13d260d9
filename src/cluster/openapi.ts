import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeSchemaOf } from '../merge/schema.ts';
import type { MergeSchema } from '../merge/types.ts';
import { at, group, type Kind } from '../objects.ts';
import { type Asked, parsed, refusedBy } from './errors.ts';
import type { Transport } from './transport.ts';
import { waitFor } from './wait-for.ts';

/** The merge rules of kinds, read from the server's OpenAPI v3. A document's address carries its hash, so a document once read never changes. */
export interface Schemas {
  of(kind: Kind, signal: AbortSignal): Promise<MergeSchema | undefined>;
}

/** @param folder where documents are kept from one process to the next; none: memory only */
export function schemas(cluster: string, transport: Transport, folder: string | undefined): Schemas {
  const documents = new Map<string, Promise<unknown>>();
  let index: Promise<unknown> | undefined;

  const fetched = async (path: string): Promise<string> => {
    const answer = await transport.send({ method: 'GET', path }, transport.lifetime);
    const asked: Asked = { cluster, verb: 'get', what: 'its OpenAPI', kind: 'OpenAPI' };
    if (answer.status !== 200) throw refusedBy(asked, answer);
    return answer.text;
  };
  const indexed = (): Promise<unknown> => {
    index ??= remembered(fetched('/openapi/v3').then(parsed), () => {
      index = undefined;
    });
    return index;
  };
  const address = async (kind: Kind, signal: AbortSignal): Promise<string | undefined> => {
    const path = group(kind) === '' ? `api/${kind.apiVersion}` : `apis/${kind.apiVersion}`;
    const known = index;
    const url = at(await waitFor(indexed, signal), 'paths', path, 'serverRelativeURL');
    if (typeof url === 'string') return url;
    if (known === undefined) return undefined;
    index = undefined;
    return address(kind, signal);
  };
  const document = (url: string): Promise<unknown> => {
    const held = documents.get(url);
    if (held) return held;
    const read = kept(folder && join(folder, encodeURIComponent(cluster)), url, () => fetched(url));
    documents.set(url, read);
    return remembered(read, () => documents.delete(url));
  };

  return {
    async of(kind, signal) {
      const url = await address(kind, signal);
      if (url === undefined) return undefined;
      const api = await waitFor(() => document(url), signal);
      return takesStrategicMerge(api, kind) ? mergeSchemaOf(api, kind) : undefined;
    },
  };
}

/** A failed look must not be remembered. */
function remembered<T>(promise: Promise<T>, forget: () => void): Promise<T> {
  promise.catch(forget);
  return promise;
}

/** The server says of every kind which patches it takes: custom resources know no strategic merge. */
function takesStrategicMerge(api: unknown, { apiVersion, kind }: Kind): boolean {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return Object.values((at(api, 'paths') ?? {}) as Record<string, unknown>).some((path) => {
    const patch = at(path, 'patch');
    const type = at(patch, 'x-kubernetes-group-version-kind');
    if (at(type, 'kind') !== kind || at(type, 'version') !== version || at(type, 'group') !== group({ apiVersion, kind })) return false;
    return at(patch, 'requestBody', 'content', 'application/strategic-merge-patch+json') !== undefined;
  });
}

/** The document from the folder, or from the server and then into the folder. A folder that cannot be read or written costs time only. */
async function kept(folder: string | undefined, url: string, fetch: () => Promise<string>): Promise<unknown> {
  const hash = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('hash');
  const file = folder !== undefined && hash !== null && /^[0-9A-Fa-f]{16,}$/.test(hash) ? join(folder, `${hash}.json`) : undefined;
  const found = file && parsed(await readFile(file, 'utf8').catch(() => ''));
  if (found) return found;
  const text = await fetch();
  if (folder !== undefined && file !== undefined) await keep(folder, file, text).catch(() => undefined);
  return parsed(text);
}

/** Under another name first: a process killed while writing leaves no half document behind. */
async function keep(folder: string, file: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text);
  await rename(draft, file);
}
