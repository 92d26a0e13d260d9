import { between, duration, type Instant, type Seconds } from '../units.ts';
import type { CandidateRecord } from './types.ts';

/** Why a candidate has lived too long, or undefined while it has not. A canary that nobody decides about is a second production. */
export function tooOld(candidate: CandidateRecord, maxAge: Seconds, now: Instant): string | undefined {
  const age = between(candidate.startedAt, now);
  return age <= maxAge ? undefined : `it has been a canary for ${duration(age)}, and maxAge is ${duration(maxAge)}`;
}
