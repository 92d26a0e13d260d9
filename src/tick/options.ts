import type { Fleet, Release } from '../desired/types.ts';
import type { Memory } from '../plan/again.ts';
import type { ReleasePlan } from '../plan/types.ts';
import type { Cluster, Forge, Metrics, Source } from '../ports.ts';
import type { TickEvent } from '../report/events.ts';
import type { Seconds } from '../units.ts';

/** Everything that a tick reaches, handed in once. Nothing is kept in memory between two ticks but `memory`. */
export interface TickOptions {
  readonly source: Source;
  /** Absent: plans and ticks, proposes nothing. */
  readonly forge: Forge | undefined;
  /** One connection per cluster; kept by the caller, so that a warm process reuses it. */
  readonly cluster: (name: string, fleet: Fleet) => Promise<Cluster>;
  readonly metrics: (fleet: Fleet) => Metrics | undefined;
  readonly report: (event: TickEvent) => void;
  /** Time within which the tick looks again; 0 looks once. */
  readonly budget: Seconds;
  /** Plan and write nothing. */
  readonly planOnly?: boolean;
  /** Only the releases of these names. */
  readonly only?: (release: Release) => boolean;
  readonly memory?: Memory;
  readonly signal: AbortSignal;
}

export interface TickReport {
  /** The last look of each release. */
  readonly plans: readonly ReleasePlan[];
  /** Writes that were carried out. */
  readonly writes: number;
  readonly looks: number;
  readonly idle: boolean;
  readonly failures: number;
  readonly memory: Memory;
}
