import type { Files, Release, RenderedSet, Rollout, Sha } from '../desired/types.ts';
import type { MergeSchema } from '../merge/types.ts';
import type { Kind, KubeObject, ObjectKey } from '../objects.ts';
import type { MetricsAnswer, PullRequest, RangeQuery, Status } from '../ports.ts';
import type { ReleaseRecord, Version } from '../rollout/types.ts';
import type { Instant } from '../units.ts';

/** One cluster as this look has found it, for one release. */
export interface ClusterLook {
  readonly name: string;
  readonly wave: string;
  /** The ApplySet parent that carries the record. */
  readonly parent: KubeObject | undefined;
  /** Members of the release's ApplySet, and whatever lives under a name that the release wants. */
  readonly live: ReadonlyMap<ObjectKey, KubeObject>;
  readonly schemaOf: (kind: Kind) => MergeSchema | undefined;
  readonly now: Instant;
}

export interface Answer {
  readonly gate: string;
  readonly asked: RangeQuery | undefined;
  readonly answer: MetricsAnswer | undefined;
}

/** Everything about one release that its plan may rest on. */
export interface ReleaseLook {
  readonly release: Release;
  readonly rollout: Rollout | undefined;
  readonly rolloutText: string | undefined;
  readonly rolloutFile: string;
  readonly rolloutMistake: string | undefined;
  readonly head: RenderedSet;
  /** What the release renders to at every commit that counts: head, stable, the records' stable and candidate. */
  readonly sets: ReadonlyMap<Sha, RenderedSet>;
  /** The release's files at those commits: a roll-back restores them. */
  readonly files: ReadonlyMap<Sha, Files>;
  /** Files that other releases render from as well: a roll-back leaves them alone. */
  readonly sharedFiles: ReadonlySet<string>;
  readonly clusters: readonly ClusterLook[];
  readonly answers: readonly Answer[];
  /** Undefined where there is no forge: nothing is proposed. */
  readonly pullRequests: readonly PullRequest[] | undefined;
  /** Latest statuses of the commits that serin writes statuses to. */
  readonly statuses: ReadonlyMap<Sha, readonly Status[]>;
  readonly mayRaise: boolean;
}

/** The commits that a release must be rendered at, head first. */
export function commitsOf(head: Sha, rollout: Rollout | undefined, records: readonly ReleaseRecord[]): readonly Sha[] {
  const versions: (Version | undefined)[] = [rollout?.stable, ...records.flatMap((r) => [r.stable, r.candidate])];
  return [...new Set([head, ...versions.flatMap((v) => (v === undefined ? [] : [v.commit]))])];
}
