import { at, type KubeObject } from '../objects.ts';
import type { ReleaseRecord } from './types.ts';

export const EMPTY_RECORD: ReleaseRecord = { closed: [], carried: [] };

/** Key of the parent's data that holds the record, as JSON that a person can read with kubectl. */
export const RECORD_KEY = 'record.json';

/** Reads the record from the ApplySet parent. What cannot be read is as good as lost: the step starts again, time is never guessed. */
export function readRecord(parent: KubeObject | undefined): ReleaseRecord {
  const text = at(parent, 'data', RECORD_KEY);
  if (typeof text !== 'string') return EMPTY_RECORD;
  try {
    const value = JSON.parse(text) as Partial<ReleaseRecord>;
    return { ...value, closed: value.closed ?? [], carried: value.carried ?? [] };
  } catch {
    return EMPTY_RECORD;
  }
}

export function recordText(record: ReleaseRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
}
