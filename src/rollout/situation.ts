import type { CanaryStrategy, Revision, Rollout, Step } from '../desired/types.ts';
import type { Instant, Percent } from '../units.ts';
import type { Observed, Reading, ReleaseRecord, Version } from './types.ts';

/** All that a decision about one release in one cluster may rest on: values of one look, nothing remembered. */
export interface Situation {
  /** Absent: the release has no strategy, head is applied as it is. */
  readonly canary: CanaryStrategy | undefined;
  readonly head: Version;
  /** rollout.yaml as merged; undefined where there is none yet. */
  readonly rollout: Rollout | undefined;
  /** Why rollout.yaml cannot be read, when it cannot. */
  readonly rolloutMistake: string | undefined;
  readonly record: ReleaseRecord;
  readonly observed: Observed;
  readonly live: Live;
  /** Pods that 100 % would mean for each workload that head changes. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly readings: readonly Reading[];
  /** A roll-back branch for head's revision exists, whatever became of its request. */
  readonly rollbackBranch: boolean;
  /** What Git allows in this cluster's wave: a ceiling, never a target by itself. */
  readonly allowed: Percent;
  /** False once this tick has raised the canary's weight: exposure goes up at most once per tick. */
  readonly mayRaise: boolean;
  readonly now: Instant;
}

/** The release's workloads as they live in the cluster, told apart by the revision they carry. */
export interface Live {
  /** No workload of the release is there. */
  readonly empty: boolean;
  /** The revision whose content the plain-named workloads run; undefined when they differ or carry none. */
  readonly stable: Revision | undefined;
  /** Every plain-named workload has all its pods ready at its present content. */
  readonly stableReady: boolean;
  /** The revision that the siblings run; undefined when there is no sibling. */
  readonly sibling: Revision | undefined;
}

/** The step whose weight the router serves now: the largest one not above it. */
export function stepAt(steps: readonly Step[], weight: Percent): Step | undefined {
  return steps.findLast((step) => step.weight <= weight);
}

export function stepAfter(steps: readonly Step[], weight: Percent): Step | undefined {
  return steps.find((step) => step.weight > weight);
}
