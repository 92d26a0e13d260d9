import type { Files, Sha } from './desired/types.ts';
import type { MergeSchema, Patch } from './merge/types.ts';
import type { Kind, KubeObject, ObjectRef, Selector } from './objects.ts';
import type { Instant, Seconds } from './units.ts';

export type How = 'dry run' | 'for real';

/** One API server. Objects travel as raw JSON both ways. */
export interface Cluster {
  readonly name: string;
  /** The live objects of one kind as the API server has them now; all namespaces when none is named. Never a cached copy. @throws SerinError E_UNKNOWN_KIND */
  list(kind: Kind, namespace: string | undefined, selector: Selector, signal: AbortSignal): Promise<readonly KubeObject[]>;
  /** Undefined when there is none. */
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** @throws SerinError E_CONFLICT when it exists already */
  create(object: KubeObject, how: How, signal: AbortSignal): Promise<KubeObject>;
  /** Sends the patch only if the object still has this resourceVersion. @throws SerinError E_CONFLICT */
  patch(ref: ObjectRef, patch: Patch, resourceVersion: string, how: How, signal: AbortSignal): Promise<KubeObject>;
  /** Deletes the object only if it still has this uid; dependents go in the background. No error when it has gone already. @throws SerinError E_CONFLICT */
  delete(ref: ObjectRef, uid: string, signal: AbortSignal): Promise<void>;
  /** The merge rules of a kind from the server's OpenAPI; undefined for custom resources. @throws SerinError E_UNKNOWN_KIND */
  schema(kind: Kind, signal: AbortSignal): Promise<MergeSchema | undefined>;
  /** Whether objects of the kind live in a namespace. @throws SerinError E_UNKNOWN_KIND */
  namespaced(kind: Kind, signal: AbortSignal): Promise<boolean>;
  /** The server's clock, from its Date header. */
  now(signal: AbortSignal): Promise<Instant>;
  /** Requests sent since the start, by method. */
  requests(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** The files of a repository, one commit at a time. */
export interface Source {
  /** The commit that the base branch names now. Costs no quota when it is still `known`. */
  head(known: Sha | undefined, signal: AbortSignal): Promise<Sha>;
  /** Text files below the folders named (all when none is); binary files, LFS pointers and links are left out. @throws SerinError E_NO_COMMIT */
  files(commit: Sha, folders: readonly string[], signal: AbortSignal): Promise<Files>;
}

/** A pull request of ours, as the host has it. */
export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly branch: string;
  readonly headSha: Sha;
  readonly state: 'open' | 'merged' | 'closed';
}

/** A pull request to be made: the branch is its key, so that making it twice makes it once. */
export interface Proposal {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
  readonly message: string;
  /** Commit that the change starts from: the head that this look has read. */
  readonly onto: Sha;
  /** Whole new texts by path; null deletes the file. */
  readonly files: Readonly<Record<string, string | null>>;
}

export interface Status {
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  /** At most 140 characters. */
  readonly description: string;
}

/** Where pull requests live. */
export interface Forge {
  /** Our pull requests on the base branch, open ones and those closed or merged lately: head branch under serin/, from this repository itself. */
  pullRequests(signal: AbortSignal): Promise<readonly PullRequest[]>;
  /** Makes branch, commit and pull request, each only where it is missing. A branch of that name that somebody else made is left alone. @throws SerinError E_CONFLICT */
  propose(proposal: Proposal, signal: AbortSignal): Promise<PullRequest>;
  close(number: number, comment: string, signal: AbortSignal): Promise<void>;
  /** The latest status of each context on a commit. */
  statuses(commit: Sha, signal: AbortSignal): Promise<readonly Status[]>;
  setStatus(commit: Sha, status: Status, signal: AbortSignal): Promise<void>;
  /** Merges only if the head is still this commit. False when the host refuses for now. @throws SerinError E_CONFLICT when the head moved */
  merge(number: number, head: Sha, signal: AbortSignal): Promise<boolean>;
  /** Deletes a branch under serin/ when it still points at this commit. */
  deleteBranch(branch: string, signal: AbortSignal): Promise<void>;
  /** Requests sent since the start: by method, and how many were answered 304. */
  requests(): Readonly<Record<string, number>>;
}

/** One series of a range query: timestamps in seconds; the value as Prometheus wrote it, read as a number (NaN and infinities kept). */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [at: number, value: number])[];
}

export type MetricsAnswer =
  | { readonly kind: 'series'; readonly series: readonly Series[]; readonly warnings: readonly string[] }
  /** Down, slow, or refused: never a pass, never a fail. `why` is for people. */
  | { readonly kind: 'unavailable'; readonly why: string };

export interface RangeQuery {
  readonly query: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly step: Seconds;
}

export interface Metrics {
  queryRange(query: RangeQuery, signal: AbortSignal): Promise<MetricsAnswer>;
}
