import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { blobSha } from '../source/text.ts';

/** Bytes of blobs kept in memory at most: manifests are small, and a function has little. */
const memoryLimit = 64 * 1024 * 1024;

/**
 * Blobs by the SHA of their content: nothing in here can go stale.
 * With a folder they outlive the process: one file per blob, put in place by a rename, looked over when it is read.
 */
export class BlobCache {
  readonly #folder: string | undefined;
  readonly #kept = new Map<string, Buffer>();
  #size = 0;
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  async get(sha: string): Promise<Buffer | undefined> {
    const kept = this.#kept.get(sha);
    if (kept !== undefined || this.#folder === undefined) return kept;
    const bytes = await readFile(this.#path(this.#folder, sha)).catch(() => undefined);
    if (bytes === undefined || blobSha(bytes) !== sha) return undefined;
    this.#keep(sha, bytes);
    return bytes;
  }

  /** A cache that cannot be written is only slower, so nothing is thrown. */
  async put(sha: string, bytes: Buffer): Promise<void> {
    this.#keep(sha, bytes);
    if (this.#folder === undefined) return;
    const path = this.#path(this.#folder, sha);
    const part = `${path}.${randomUUID()}`;
    await mkdir(dirname(path), { recursive: true })
      .then(() => writeFile(part, bytes))
      .then(() => rename(part, path))
      .catch(() => {});
  }

  #keep(sha: string, bytes: Buffer): void {
    if (this.#kept.has(sha)) return;
    this.#kept.set(sha, bytes);
    this.#size += bytes.length;
    for (const [oldest, old] of this.#kept) {
      if (this.#size <= memoryLimit) break;
      this.#kept.delete(oldest);
      this.#size -= old.length;
    }
  }

  #path(folder: string, sha: string): string {
    return join(folder, 'blobs', sha.slice(0, 2), sha.slice(2));
  }
}
