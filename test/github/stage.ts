import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Sha } from '../../src/desired/types.ts';
import { type GitHubOptions, github } from '../../src/github/connect.ts';
import type { Forge, Proposal, Source } from '../../src/ports.ts';
import { type EmulatorOptions, type GitHubEmulator, startGitHub } from './emulator.ts';
import { type Person, person } from './person.ts';

export const repository = 'acme/deploy';

/** An emulator of its own for one test, serin's client on it, and a person who works beside it. */
export interface Stage {
  readonly hub: GitHubEmulator;
  readonly source: Source;
  readonly forge: Forge;
  readonly mia: Person;
  readonly signal: AbortSignal;
  readonly head: () => Promise<Sha>;
  /** A second client, as another process of serin would have. */
  readonly again: (options?: Partial<GitHubOptions>) => { source: Source; forge: Forge };
}

export async function stage(
  t: ExecutionContext,
  options: Partial<EmulatorOptions> = {},
  client: Partial<GitHubOptions> = {},
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'serin-github-'));
  const hub = await startGitHub({
    folder,
    repository,
    files: { 'README.md': '# deploy\n', 'releases/shop/rollout.yaml': 'weight: 10\n' },
    ...options,
  });
  t.teardown(async () => {
    await rm(folder, { recursive: true });
    await hub.close();
  });
  const again = (more: Partial<GitHubOptions> = {}) =>
    github({ repository, base: 'main', auth: { token: 'secret-token' }, baseUrl: hub.url, ...client, ...more });
  const { source, forge } = again();
  const { signal } = new AbortController();
  return { hub, source, forge, again, signal, mia: person({ url: hub.url, repository }), head: () => source.head(undefined, signal) };
}

/** The request that moves the shop's weight to 25. */
export function advance(onto: Sha, more: Partial<Proposal> = {}): Proposal {
  return {
    branch: 'serin/advance/shop--81b7aa01--eu-25--1',
    title: 'shop: 10 % to 25 %',
    body: 'The gates hold at 10 %.',
    message: 'shop: 10 % to 25 %\n\nSerin-Release: shop\nSerin-Step: eu-25',
    onto,
    files: { 'releases/shop/rollout.yaml': 'weight: 25\n' },
    ...more,
  };
}
