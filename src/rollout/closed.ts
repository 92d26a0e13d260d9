import type { Rollout } from '../desired/types.ts';
import type { CandidateRecord, Closed, ReleaseRecord, Version } from './types.ts';

/**
 * Why a version is not to be tried again, or undefined when it may be. Held binds the revision, also when a new commit renders it
 * again; withdrawn binds revision and commit. The record, rollout.yaml and a roll-back branch each suffice. Only an explicit retry
 * lifts a hold, and only the holds that Git knows of: a second attempt that fails is closed again, whatever the old line says.
 */
export function closedBecause(
  version: Version,
  record: ReleaseRecord,
  rollout: Rollout | undefined,
  rollbackBranch: boolean,
): string | undefined {
  if (rollout?.retry === version.revision && closings(record, version) <= heldIn(rollout, version)) return undefined;
  const held = rollout?.held.find((h) => h.revision === version.revision);
  if (held) return held.reason;
  const closed = record.closed.find((c) => binds(c, version));
  if (closed) return closed.reason;
  return rollbackBranch ? 'a roll-back request for it exists' : undefined;
}

/** How often the revision was held here. */
export function closings({ closed }: ReleaseRecord, { revision }: Version): number {
  return closed.filter((c) => c.revision === revision && c.as === 'held').length;
}

/** How often Git says that it was. */
export function heldIn(rollout: Rollout, { revision }: Version): number {
  return rollout.held.filter((h) => h.revision === revision).length;
}

/** The closing of this very attempt: not that of an earlier one of the same revision. */
export function closingOf({ closed }: ReleaseRecord, candidate: CandidateRecord | undefined): Closed | undefined {
  return candidate && closed.findLast((c) => c.revision === candidate.revision && c.at >= candidate.startedAt);
}

function binds(closed: Closed, version: Version): boolean {
  return closed.revision === version.revision && (closed.as === 'held' || closed.commit === version.commit);
}
