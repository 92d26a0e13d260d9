import type { Step } from '../desired/types.ts';
import { between, duration, type Instant, type Seconds, seconds } from '../units.ts';
import type { Entered, Reading } from './types.ts';

/** Whether a step has been proved: its time is over and its gates pass. */
export type Ripeness =
  | { readonly ripe: true; readonly because: string }
  | { readonly ripe: false; readonly for: 'time' | 'gate'; readonly because: string; readonly lookAgainIn: Seconds };

/** A step is ripe when its hold is over, counted from the moment the router proved its weight, and every one of its gates passes. */
export function ripeness(step: Step, entered: Entered, readings: readonly Reading[], now: Instant, skipGates?: string): Ripeness {
  const held = between(entered.at, now);
  if (held < step.hold) {
    const left = seconds(step.hold - held);
    return {
      ripe: false,
      for: 'time',
      because: `${step.weight} % is held for ${duration(step.hold)}, ${duration(left)} to go`,
      lookAgainIn: left,
    };
  }
  if (skipGates !== undefined) return { ripe: true, because: `gates skipped: ${skipGates}` };
  const waiting = readings.find((r) => r.verdict === 'wait');
  if (waiting) return { ripe: false, for: 'gate', because: `${waiting.gate}: ${waiting.saw}`, lookAgainIn: waiting.lookAgainIn };
  return {
    ripe: true,
    because:
      readings.length === 0
        ? `held ${duration(step.hold)} at ${step.weight} %, no gates asked`
        : `${readings.map((r) => `${r.gate}: ${r.saw}`).join('; ')}`,
  };
}
