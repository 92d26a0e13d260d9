import type { PartEvent } from '../lab/parts.ts';
import type { DemoOptions } from './options.ts';

/** What the outer process hands to the one in the lab. Moments are milliseconds since 1970. */
export interface InsideOrder {
  readonly options: DemoOptions;
  readonly started: number;
  readonly ready: number;
}

/** Where the outer process tells of a Prometheus that is still building, below TMPDIR. */
export const PROGRESS_FILE = 'prometheus-progress.json';
export type Progress = { readonly part: PartEvent } | { readonly failed: string };
