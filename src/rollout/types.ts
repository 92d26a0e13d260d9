import type { Revision, Sha } from '../desired/types.ts';
import type { Instant, Percent, Seconds } from '../units.ts';

/** One version of the release: what it renders to, and the first commit that did. */
export interface Version {
  readonly revision: Revision;
  readonly commit: Sha;
}

/** Facts about one release in one cluster that only this cluster can keep: data on the ApplySet parent. */
export interface ReleaseRecord {
  /** What stable runs here, once it was up whole. */
  readonly stable?: Version;
  readonly candidate?: CandidateRecord;
  readonly closed: readonly Closed[];
  /** Every revision that this cluster has carried at 100 %, the latest last. */
  readonly carried: readonly Revision[];
}

export interface CandidateRecord extends Version {
  /** The server's time when the candidate was first written down: maxAge and the gates' grid count from it. */
  readonly startedAt: Instant;
  /** What 100 % means for each workload that has a candidate: pods by workload name. */
  readonly sizes: Readonly<Record<string, number>>;
  /** When the router first proved each step's weight. */
  readonly entered: readonly Entered[];
}

export interface Entered {
  readonly weight: Percent;
  readonly at: Instant;
}

/** A candidate that is not to be tried again: held binds the revision, withdrawn binds revision and commit. */
export interface Closed extends Version {
  readonly as: 'held' | 'withdrawn';
  readonly reason: string;
  readonly at: Instant;
}

/** One side (stable or canary) of one workload as the cluster has it now. */
export interface Side {
  readonly exists: boolean;
  /** Pods asked for. */
  readonly replicas: number;
  /** Pods of the side's present content that are ready; never more than are certain. */
  readonly ready: number;
  /** The revision that the workload's content belongs to. */
  readonly revision: Revision | undefined;
}

export interface WorkloadState {
  readonly name: string;
  /** Pods that 100 % means. */
  readonly size: number;
  readonly stable: Side;
  readonly canary: Side;
}

/** Whether the router really serves the weight that its objects ask for. */
export type Proof =
  | { readonly is: 'proven' }
  | { readonly is: 'not yet'; readonly saw: string; readonly lookAgainIn: Seconds }
  | { readonly is: 'cannot know'; readonly saw: string };

export interface Observed {
  readonly workloads: readonly WorkloadState[];
  /** Percent that the router's objects give the canary now. */
  readonly weight: Percent;
  readonly proof: Proof;
}

/** Where the two sides shall be next. Pods by workload; a canary of 0 with weight 0 means that the sibling goes. */
export interface Target {
  readonly weight: Percent;
  readonly pods: Readonly<Record<string, { readonly stable: number; readonly canary: number }>>;
}

/** One move of a strategy: a target to write now, something to wait for, or nothing left to do. */
export type Move =
  | { readonly to: 'go'; readonly target: Target; readonly because: string }
  | { readonly to: 'wait'; readonly for: 'pods' | 'router'; readonly because: string; readonly lookAgainIn: Seconds }
  | { readonly to: 'done' };

/** What one gate saw on this look. `saw` is written for people: it goes into the pull request as it is. */
export type Reading =
  | { readonly verdict: 'pass'; readonly gate: string; readonly saw: string }
  | { readonly verdict: 'wait'; readonly gate: string; readonly saw: string; readonly lookAgainIn: Seconds }
  | { readonly verdict: 'fail'; readonly gate: string; readonly saw: string };

/**
 * What one release does in one cluster on this look. `because` is the sentence that decided it:
 * it goes into the log, the status and the pull request as it is.
 */
export type Decision =
  /** Everything is as Git has it; drift is repaired on the way. */
  | { readonly to: 'keep'; readonly because: string }
  /** Nothing ran here: the version is applied as a whole under its plain names. */
  | { readonly to: 'install'; readonly version: Version; readonly because: string }
  /** Installed, and up: written to the record as stable. */
  | { readonly to: 'settle'; readonly version: Version; readonly because: string }
  /** A new revision: written to the record before its first pod. */
  | { readonly to: 'start'; readonly candidate: CandidateRecord; readonly because: string }
  /** Pods or weight move towards a step, up or down. */
  | { readonly to: 'move'; readonly target: Target; readonly because: string }
  /** The router has proved the step's weight: its clock starts. */
  | { readonly to: 'enter'; readonly weight: Percent; readonly at: Instant; readonly because: string }
  /** The candidate is closed, and its weight falls. `target` is where it falls to on this look; absent when only the record is written. */
  | { readonly to: 'abort'; readonly closing: Closed; readonly target?: Target; readonly because: string }
  /** The promoted content goes into stable's names, or the walk back goes on. */
  | { readonly to: 'promote'; readonly version: Version; readonly target: Target; readonly because: string }
  /** The sibling has gone and stable runs what was promoted. */
  | { readonly to: 'finish'; readonly version: Version; readonly because: string }
  /** Something must happen first: a pod, a hold time, a gate, a person. */
  | {
      readonly to: 'wait';
      readonly for: 'pods' | 'router' | 'time' | 'gate' | 'person';
      readonly because: string;
      readonly lookAgainIn?: Seconds;
    }
  /** Increases are stopped, and a person is told why. */
  | { readonly to: 'stop'; readonly because: string };
