import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../cluster/connect.ts';
import type { Fleet } from '../desired/types.ts';
import { SerinError } from '../errors.ts';
import { github } from '../github/connect.ts';
import { prometheus } from '../metrics/prometheus.ts';
import type { Cluster, Forge, Metrics, Source } from '../ports.ts';
import { directorySource } from '../source/directory.ts';
import { openSource } from '../source/open.ts';
import type { TickOptions } from '../tick/options.ts';
import type { Arguments } from './arguments.ts';

/** What stays open between the ticks of one process. */
export interface Wiring extends Pick<TickOptions, 'source' | 'forge' | 'cluster' | 'metrics'> {
  /** Requests so far, to the forge and to each cluster. */
  requests(): Promise<{
    readonly forge: Readonly<Record<string, number>>;
    readonly clusters: Readonly<Record<string, Readonly<Record<string, number>>>>;
  }>;
  close(): Promise<void>;
}

/** Where Git is. A plan or a status of a work tree shows what lies there now; a tick takes what its branch has. */
export type Origin = Pick<Arguments, 'repo' | 'github' | 'base' | 'cache'> & { readonly command?: Arguments['command'] };

/** Connects the ports to the world, once. Nothing is asked of a cluster before the first look needs it. @throws SerinError E_NO_SOURCE */
export async function wire(args: Origin, environment: Readonly<Record<string, string | undefined>>): Promise<Wiring> {
  const { source, forge } = await origin(args, environment);
  const open = new Map<string, Promise<Cluster>>();
  /** A connection that failed is not kept: the next look tries again. */
  const cluster = (name: string, fleet: Fleet): Promise<Cluster> => {
    const there =
      open.get(name) ??
      connect(name, fleet.clusters[name] ?? {}, args.cache === undefined ? {} : { cacheFolder: join(args.cache, 'openapi') });
    open.set(name, there);
    there.catch(() => open.delete(name));
    return there;
  };
  return {
    source,
    forge,
    cluster,
    metrics: (fleet): Metrics | undefined => {
      const url = environment['SERIN_PROMETHEUS'] ?? fleet.prometheus?.url;
      return url === undefined ? undefined : prometheus({ url });
    },
    requests: async () => {
      const connected = await Promise.all([...open].map(async ([name, port]) => [name, (await port).requests()] as const));
      return { forge: forge?.requests() ?? {}, clusters: Object.fromEntries(connected) };
    },
    close: async () => {
      await Promise.allSettled([...open.values()].map(async (port) => (await port).close()));
    },
  };
}

async function origin(
  { command, repo, github: repository, base, cache }: Origin,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ source: Source; forge: Forge | undefined }> {
  if (repo !== undefined) {
    const looking = command === 'plan' || command === 'status';
    return {
      source: looking && existsSync(join(repo, '.git')) ? directorySource(repo) : await openSource(repo, base, cache),
      forge: undefined,
    };
  }
  const token = environment['GITHUB_TOKEN'];
  if (repository === undefined || token === undefined) {
    throw new SerinError('E_NO_SOURCE', 'serin does not know which repository to read', {
      hint: 'set GITHUB_REPOSITORY and GITHUB_TOKEN, or name a directory or a repository with --repo',
      retry: 'never',
    });
  }
  const baseUrl = environment['GITHUB_API_URL'];
  return github({
    repository,
    base,
    auth: { token },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(cache === undefined ? {} : { cacheFolder: join(cache, 'blobs') }),
  });
}
