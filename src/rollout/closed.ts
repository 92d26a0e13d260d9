import type { Rollout } from '../desired/types.ts';
import type { Closed, ReleaseRecord, Version } from './types.ts';

/**
 * Why a version is not to be tried again, or undefined when it may be. Held binds the revision, also when a new commit renders it
 * again; withdrawn binds revision and commit. The record, rollout.yaml and a roll-back branch each suffice. Only an explicit retry lifts a hold.
 */
export function closedBecause(
  version: Version,
  record: ReleaseRecord,
  rollout: Rollout | undefined,
  rollbackBranch: boolean,
): string | undefined {
  if (rollout?.retry === version.revision) return undefined;
  const held = rollout?.held.find((h) => h.revision === version.revision);
  if (held) return held.reason;
  const closed = record.closed.find((c) => binds(c, version));
  if (closed) return closed.reason;
  return rollbackBranch ? 'a roll-back request for it exists' : undefined;
}

function binds(closed: Closed, version: Version): boolean {
  return closed.revision === version.revision && (closed.as === 'held' || closed.commit === version.commit);
}
