import type { Decision, ReleaseRecord, Version } from './types.ts';

/** How many carried revisions and closed candidates a record keeps: rollout.yaml and its history in Git keep them all. */
const KEPT = 20;

/** The record after a decision, or the same record when there is nothing to write down. */
export function remember(record: ReleaseRecord, decision: Decision): ReleaseRecord {
  switch (decision.to) {
    case 'settle':
    case 'finish':
      return settled(record, decision.version);
    case 'start':
      return { ...record, candidate: decision.candidate };
    case 'move':
      return lowered(record, decision.target.weight);
    case 'enter': {
      const { candidate } = record;
      if (!candidate) return record;
      const entered = [...candidate.entered.filter((e) => e.weight < decision.weight), { weight: decision.weight, at: decision.at }];
      return { ...record, candidate: { ...candidate, entered } };
    }
    case 'abort': {
      const { closing } = decision;
      const known = record.closed.some((c) => c.revision === closing.revision && c.as === closing.as && c.at === closing.at);
      return known ? record : { ...record, closed: [...record.closed, closing].slice(-KEPT) };
    }
    default:
      return record;
  }
}

function settled({ candidate, ...record }: ReleaseRecord, { revision, commit }: Version): ReleaseRecord {
  const carried = [...record.carried.filter((r) => r !== revision), revision].slice(-KEPT);
  const open = candidate === undefined || candidate.revision === revision ? {} : { candidate };
  return { ...record, ...open, stable: { revision, commit }, carried };
}

/** A weight that goes down starts the steps above it anew when it rises again. */
function lowered(record: ReleaseRecord, weight: number): ReleaseRecord {
  const { candidate } = record;
  if (!candidate?.entered.some((e) => e.weight > weight)) return record;
  return { ...record, candidate: { ...candidate, entered: candidate.entered.filter((e) => e.weight <= weight) } };
}
