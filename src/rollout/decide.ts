import { closedBecause, closingOf } from './closed.ts';
import { fall } from './falling.ts';
import { follow } from './follow.ts';
import type { Situation } from './situation.ts';
import { tooOld } from './too-old.ts';
import type { Closed, Decision } from './types.ts';
import { walk } from './walk.ts';

/**
 * What one release does in one cluster on this look. The rules are asked in this order, and the first that answers decides:
 * what must not be there goes, failing beats Git's word, following stable comes before trying something new, waiting beats moving.
 */
export function decide(situation: Situation): Decision {
  for (const rule of [unwantedSibling, failing, tooOldCandidate, unreadable, follow, closedHead]) {
    const decision = rule(situation);
    if (decision) return decision;
  }
  const { candidate } = situation.record;
  const runs = candidate?.revision === situation.head.revision && !closingOf(situation.record, candidate);
  return runs ? walk(situation, candidate) : start(situation);
}

/** A sibling that is neither head nor the stable being promoted, or that has been closed, goes: its weight first. */
function unwantedSibling(s: Situation): Decision | undefined {
  const { sibling } = s.live;
  if (sibling === undefined) return undefined;
  if (sibling === s.rollout?.stable.revision && s.record.stable?.revision !== sibling) return undefined;
  const { candidate } = s.record;
  const known = candidate?.revision === sibling ? closingOf(s.record, candidate) : s.record.closed.findLast((c) => c.revision === sibling);
  const reason =
    sibling === s.head.revision ? closedBecause(s.head, s.record, s.rollout, s.rollbackBranch) : `Git has moved on to ${s.head.revision}`;
  if (reason === undefined && !known) return undefined;
  const commit = candidate?.revision === sibling ? candidate.commit : s.head.commit;
  return falling(
    s,
    known ?? { revision: sibling, commit, as: sibling === s.head.revision ? 'held' : 'withdrawn', reason: reason ?? '', at: s.now },
  );
}

/** Failing always wins, also over a line that was merged a moment ago. */
function failing(s: Situation): Decision | undefined {
  const failed = s.readings.find((r) => r.verdict === 'fail');
  const { candidate } = s.record;
  if (!failed || !candidate || s.live.sibling !== candidate.revision || promoted(s)) return undefined;
  return falling(s, {
    revision: candidate.revision,
    commit: candidate.commit,
    as: 'held',
    reason: `${failed.gate}: ${failed.saw}`,
    at: s.now,
  });
}

function tooOldCandidate(s: Situation): Decision | undefined {
  const { candidate } = s.record;
  if (!candidate || !s.canary || s.live.sibling !== candidate.revision || promoted(s)) return undefined;
  const reason = tooOld(candidate, s.canary.maxAge, s.now);
  return reason === undefined
    ? undefined
    : falling(s, { revision: candidate.revision, commit: candidate.commit, as: 'held', reason, at: s.now });
}

/** An unreadable rollout.yaml stops increases; aborts have been decided above. */
function unreadable(s: Situation): Decision | undefined {
  return s.rolloutMistake === undefined ? undefined : { to: 'stop', because: `rollout.yaml cannot be read: ${s.rolloutMistake}` };
}

function closedHead(s: Situation): Decision | undefined {
  const reason = closedBecause(s.head, s.record, s.rollout, s.rollbackBranch);
  return reason === undefined ? undefined : { to: 'keep', because: `${s.head.revision} is held: ${reason}` };
}

function start(s: Situation): Decision {
  const candidate = { ...s.head, startedAt: s.now, sizes: s.sizes, entered: [] };
  return { to: 'start', candidate, because: `${s.head.commit.slice(0, 10)} renders ${s.head.revision}, which is new` };
}

/** The promote request has been merged: what runs as the sibling is Git's stable, and goes through. */
function promoted(s: Situation): boolean {
  return s.rollout?.stable.revision === s.record.candidate?.revision;
}

function falling(s: Situation, closing: Closed): Decision {
  const move = fall(s.observed);
  const because = `${closing.as} ${closing.revision}: ${closing.reason}`;
  return move.to === 'go'
    ? { to: 'abort', closing, target: move.target, because: `${because} (${move.because})` }
    : { to: 'abort', closing, because };
}
