import type { Forge, Source } from '../ports.ts';
import { BlobCache } from './blobs.ts';
import { type Access, connect } from './client.ts';
import { githubForge } from './forge.ts';
import { githubSource } from './read.ts';

export interface GitHubOptions extends Access {
  /** The branch that is deployed, for example main. */
  readonly base: string;
  /** Where blobs are kept between processes; in memory only when there is none. */
  readonly cacheFolder?: string;
}

/** One repository on GitHub: its files by commit, and its pull requests. Both share one client and one count of requests. */
export function github(options: GitHubOptions): { readonly source: Source; readonly forge: Forge } {
  const client = connect(options);
  return { source: githubSource(client, options.base, new BlobCache(options.cacheFolder)), forge: githubForge(client, options.base) };
}
