import type { Sha } from '../desired/types.ts';
import type { Difference, Patch } from '../merge/types.ts';
import type { KubeObject, ObjectRef } from '../objects.ts';
import type { Status } from '../ports.ts';
import type { Decision, Observed, Reading, ReleaseRecord, Version } from '../rollout/types.ts';
import type { Percent, Seconds } from '../units.ts';

/** Why an object is written: drift is somebody else's change, change is Git's or the roll-out's. */
export type Cause = 'drift' | 'change' | 'takeover';

/** One write, carried out in the order of the plan, each with its precondition. Nothing is decided after this. */
export type PlanStep =
  | { readonly do: 'create'; readonly cluster: string; readonly object: KubeObject }
  | {
      readonly do: 'patch';
      readonly cluster: string;
      readonly ref: ObjectRef;
      readonly resourceVersion: string;
      readonly patch: Patch;
      readonly differences: readonly Difference[];
      readonly cause: Cause;
    }
  | { readonly do: 'delete'; readonly cluster: string; readonly ref: ObjectRef; readonly uid: string; readonly because: string }
  | { readonly do: 'propose'; readonly request: Request }
  | { readonly do: 'close'; readonly number: number; readonly branch: string; readonly because: string }
  | { readonly do: 'merge'; readonly number: number; readonly head: Sha; readonly because: string }
  | { readonly do: 'status'; readonly commit: Sha; readonly status: Status };

/** A pull request that serin wants to exist. src/report writes its title, body and commit message. */
export interface Request {
  readonly kind: 'record' | 'advance' | 'promote' | 'rollback';
  readonly release: string;
  readonly branch: string;
  readonly onto: Sha;
  readonly files: Readonly<Record<string, string | null>>;
  readonly evidence: Evidence;
}

/** What a person needs to judge a request. */
export interface Evidence {
  readonly because: string;
  readonly stable?: Version;
  readonly candidate?: Version;
  readonly wave: string;
  /** The canary's weight now, and what merging the request allows. */
  readonly weight?: Percent;
  readonly nextWeight?: Percent;
  readonly readings: readonly Reading[];
  readonly observed: Readonly<Record<string, Observed>>;
  /** All steps, for the picture: which are done, which one is being proved. */
  readonly steps: readonly { readonly weight: Percent; readonly hold: Seconds; readonly state: 'done' | 'now' | 'next' }[];
  /** Images and other lines that differ between stable and the candidate, for people. */
  readonly changes: readonly { readonly object: string; readonly path: string; readonly from: unknown; readonly to: unknown }[];
}

/** Everything decided about one release on one look. */
export interface ReleasePlan {
  readonly release: string;
  readonly head: Version | undefined;
  readonly stable: Version | undefined;
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly observed: Readonly<Record<string, Observed>>;
  readonly records: Readonly<Record<string, ReleaseRecord>>;
  readonly readings: readonly Reading[];
  readonly steps: readonly PlanStep[];
  /** Undefined: look again at once. A number: in so many seconds. 'next run': nothing to wait for inside this tick. */
  readonly again: Seconds | 'at once' | 'next run';
  /** The same where the server has said of every patch that it changes nothing, so that nothing is written after all. */
  readonly otherwise: Seconds | 'next run';
  readonly notes: readonly string[];
}
