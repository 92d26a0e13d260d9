import type { TickEvent } from '../../src/report/events.ts';
import type { PartEvent } from '../lab/parts.ts';

interface Told {
  /** RFC 3339. */
  readonly time: string;
}

/** Pods and requests of one version. */
export interface VersionSample {
  readonly ready: number;
  readonly pods: number;
  /** Requests answered and failed since the demo's load began, and in the last second. */
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly failedPerSecond: number;
}

export interface Summary {
  readonly ok: boolean;
  /** What did not happen; empty when all did. */
  readonly missing: readonly string[];
  readonly requests: { readonly sent: number; readonly failed: number };
  /** Until the bad version was committed: nobody may have noticed the good one. */
  readonly goodVersion: { readonly sent: number; readonly failed: number };
  readonly badVersion: { readonly sent: number; readonly failed: number };
  /** Pods that had not been told to end, and all pods that there were, at their peak. */
  readonly podsAtPeak: number;
  readonly podsAtPeakWithEnding: number;
  readonly seconds: number;
}

/** What happens in the demo beside the ticks. */
export type StageEvent =
  | (Told & {
      readonly event: 'started';
      readonly steps: readonly number[];
      readonly toBuild: readonly string[];
      readonly buildSeconds: number;
      readonly seconds: number;
    })
  | (Told & { readonly event: 'part' } & { readonly part: PartEvent })
  | (Told & { readonly event: 'lab-ready'; readonly seconds: number })
  | (Told & { readonly event: 'prometheus-ready' })
  | (Told & { readonly event: 'load-started'; readonly perSecond: number })
  | (Told & { readonly event: 'committed'; readonly version: string; readonly commit: string; readonly message: string })
  | (Told & { readonly event: 'pull-request-diff'; readonly number: number; readonly title: string; readonly lines: readonly string[] })
  | (Told & { readonly event: 'rollback-proposed'; readonly number: number; readonly title: string; readonly url: string })
  | (Told & { readonly event: 'pull-request-merged'; readonly number: number; readonly title: string; readonly by: string })
  | (Told & { readonly event: 'traffic'; readonly weight: number; readonly versions: Readonly<Record<string, VersionSample>> })
  | (Told & { readonly event: 'summary' } & Summary);

/** A pull request merged by a person is told by the stage; one that a tick merges by the tick. */
export type DemoEvent = StageEvent | Exclude<TickEvent, { event: 'pull-request-merged' }>;

/** Gets events as they happen. */
export type Tell = (event: DemoEvent) => void;

export function now(): string {
  return new Date().toISOString();
}
