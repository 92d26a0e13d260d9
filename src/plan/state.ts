import type { Situation } from '../rollout/situation.ts';
import type { Decision, ReleaseRecord } from '../rollout/types.ts';

/** One cluster's part of a release's plan: what was found, what was decided, and the record as it will be. */
export interface ClusterState {
  readonly cluster: string;
  readonly wave: string;
  readonly situation: Situation;
  readonly decision: Decision;
  readonly record: ReleaseRecord;
}
