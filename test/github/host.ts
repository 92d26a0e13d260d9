import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { BareRepository, Signature } from './git.ts';

export interface Pull {
  readonly number: number;
  readonly login: string;
  readonly branch: string;
  /** The head as last seen: it stays after the branch has gone. */
  headSha: string;
  base: string;
  readonly baseSha: string;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  draft: boolean;
  mergedAt: string | null;
  mergedBy: string | null;
  mergeSha: string | null;
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  /** Set for a pull request whose branch lives in a fork: owner of the fork. */
  readonly fork?: string;
  /** head and base for which mergeability was last asked: the first answer is null, as GitHub computes it in the background. */
  mergeabilityOf?: string;
}

export interface StoredStatus {
  readonly id: number;
  readonly sha: string;
  readonly login: string;
  readonly state: string;
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly at: string;
}

export interface StoredComment {
  readonly id: number;
  readonly number: number;
  readonly login: string;
  readonly body: string;
  readonly at: string;
}

interface Stored {
  last: number;
  readonly pulls: Pull[];
  readonly statuses: StoredStatus[];
  readonly comments: StoredComment[];
  readonly labels: Record<string, string[]>;
}

/** What the host knows and Git does not. It lives in memory and in one JSON file beside the repository. */
export class State {
  readonly #file: string;
  readonly all: Stored;
  constructor(file: string) {
    this.#file = file;
    this.all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { last: 0, pulls: [], statuses: [], comments: [], labels: {} };
  }

  /** Numbers are given once, over pull requests, comments and statuses alike. */
  next(): number {
    this.all.last += 1;
    return this.all.last;
  }

  nextPull(): number {
    return Math.max(0, ...this.all.pulls.map((p) => p.number)) + 1;
  }

  save(): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.all));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** One repository on the host, with all that its operations need. */
export interface Host {
  readonly owner: string;
  readonly name: string;
  /** Address that the emulator answers at, without a slash at the end. */
  readonly url: string;
  readonly git: BareRepository;
  readonly state: State;
  readonly defaultBranch: string;
  /** Status contexts that the base branch requires before a merge. */
  readonly requiredContexts: readonly string[];
  /** Entries after which a recursive tree is cut. */
  readonly treeLimit: number;
  readonly allowedMerges: readonly ('merge' | 'squash')[];
}

export interface Call {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  // oxlint-disable-next-line no-explicit-any -- the description has checked it before a handler sees it
  readonly body: any;
  readonly accept: string;
  readonly login: string;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Instead of a body: text of another media type. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (host: Host, call: Call) => Promise<Answer> | Answer;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });

const documentation_url = 'https://docs.github.com/rest';

export function refuse(status: number, message: string, errors?: readonly object[]): Answer {
  return { status, body: { message, ...(errors === undefined ? {} : { errors }), documentation_url, status: String(status) } };
}

export const notFound = (): Answer => refuse(404, 'Not Found');

export function invalid(resource: string, field: string | undefined, message?: string): Answer {
  const error = {
    resource,
    code: message === undefined ? 'invalid' : 'custom',
    ...(field === undefined ? {} : { field }),
    ...(message === undefined ? {} : { message }),
  };
  return refuse(422, 'Validation Failed', [error]);
}

export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

export function repositoryUrl(host: Host): string {
  return `${host.url}/repos/${host.owner}/${host.name}`;
}

/** Who a commit without an author is by. */
export function signatureOf(login: string): Signature {
  return { name: login, email: `${login}@users.noreply.example`, date: now() };
}

export function user(host: Host, login: string): object {
  const id = [...login].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000, 7);
  return {
    login,
    id,
    type: login.endsWith('[bot]') ? 'Bot' : 'User',
    url: `${host.url}/users/${encodeURIComponent(login)}`,
    html_url: `${host.url}/${encodeURIComponent(login)}`,
  };
}

/** @param owner another owner than the host's own stands for a fork */
export function repository(host: Host, owner = host.owner): object {
  const fork = owner !== host.owner;
  return {
    id: fork ? 2 : 1,
    name: host.name,
    full_name: `${owner}/${host.name}`,
    owner: user(host, owner),
    fork,
    html_url: `${host.url}/${owner}/${host.name}`,
    url: `${host.url}/repos/${owner}/${host.name}`,
    clone_url: host.git.folder,
    default_branch: host.defaultBranch,
    has_issues: true,
    visibility: 'private',
    private: true,
    allow_merge_commit: host.allowedMerges.includes('merge'),
    allow_squash_merge: host.allowedMerges.includes('squash'),
    allow_rebase_merge: false,
    permissions: { admin: false, push: true, pull: true },
  };
}

/** One page of a list, with the Link header that leads to the next. */
export function page(host: Host, call: Call, path: string, items: readonly unknown[]): Answer {
  const size = Math.min(Number(call.query['per_page'] ?? 30), 100);
  const number = Number(call.query['page'] ?? 1);
  const more = items.length > number * size;
  const query = new URLSearchParams({ ...call.query, page: String(number + 1) });
  const headers = more ? { link: `<${repositoryUrl(host)}${path}?${query}>; rel="next"` } : {};
  return { status: 200, body: items.slice((number - 1) * size, number * size), headers };
}
