import type { Percent } from '../units.ts';
import { towards } from './light.ts';
import { ripeness } from './ripe.ts';
import { type Situation, stepAfter, stepAt } from './situation.ts';
import type { CandidateRecord, Decision, Move } from './types.ts';

/** What a candidate that nothing stands against does next: walks every step below what Git allows, with its holds and gates. */
export function walk(s: Situation, candidate: CandidateRecord): Decision {
  if (!s.canary || Object.keys(candidate.sizes).length === 0)
    return { to: 'wait', for: 'person', because: 'no pods change: merging the promote request applies it' };
  const { weight } = s.observed;
  if (weight > s.allowed) return moved(towards(s.observed, s.allowed)) ?? person(s.allowed);
  const step = stepAt(s.canary.steps, weight);
  const next = stepAfter(s.canary.steps, weight);
  if (step) {
    const entered = candidate.entered.find((e) => e.weight === step.weight);
    const settling = moved(towards(s.observed, step.weight, 'canary'));
    if (settling) return settling;
    if (!entered) return { to: 'enter', weight: step.weight, at: s.now, because: `the router has proved ${step.weight} %` };
    const ripe = ripeness(step, entered, s.readings, s.now, s.rollout?.canary?.skipGates);
    if (!ripe.ripe) return { to: 'wait', for: ripe.for, because: ripe.because, lookAgainIn: ripe.lookAgainIn };
    if (next === undefined)
      return { to: 'wait', for: 'person', because: `every step has passed (${ripe.because}): the promote request may be merged` };
  }
  if (next === undefined || next.weight > s.allowed) return person(s.allowed);
  if (!s.mayRaise) return { to: 'wait', for: 'time', because: 'exposure goes up at most once per tick' };
  return moved(towards(s.observed, next.weight)) ?? person(s.allowed);
}

function person(allowed: Percent): Decision {
  return { to: 'wait', for: 'person', because: `Git allows ${allowed} %` };
}

function moved(move: Move): Decision | undefined {
  if (move.to === 'done') return undefined;
  if (move.to === 'go') return { to: 'move', target: move.target, because: move.because };
  return { to: 'wait', for: move.for, because: move.because, lookAgainIn: move.lookAgainIn };
}
