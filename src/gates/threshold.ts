import type { Gate } from '../desired/types.ts';
import type { MetricsAnswer, RangeQuery } from '../ports.ts';
import type { Reading } from '../rollout/types.ts';
import { type Instant, iso, type Seconds } from '../units.ts';

/** What a gate's query is asked about: the step's window, and how the candidate's pods are named. */
export interface Window {
  readonly release: string;
  readonly namespace: string;
  /** Regular expressions, anchored by PromQL itself, that match the pods of each side. */
  readonly canaryPods: string;
  readonly stablePods: string;
  /** When the grid begins: the start of the roll-out. */
  readonly startedAt: Instant;
  /** When the router proved the step's weight. */
  readonly enteredAt: Instant;
  readonly now: Instant;
}

/**
 * The range query over the step's window, on the gate's grid. The first point is a whole interval after the step was entered, so that
 * no point speaks of the time before; the last one is `lag` ago, so that every scrape has arrived. Undefined while there is no such point.
 */
export function ask(gate: Gate, window: Window): RangeQuery | undefined {
  const first = onGrid(window.enteredAt + gate.interval, window.startedAt, gate.interval, Math.ceil);
  const last = onGrid(window.now - gate.lag, window.startedAt, gate.interval, Math.floor);
  return last < first ? undefined : { query: fill(gate.threshold.query, window), start: first, end: last, step: gate.interval };
}

function onGrid(at: number, origin: Instant, interval: Seconds, round: (steps: number) => number): Instant {
  return (origin + round((at - origin) / interval) * interval) as Instant;
}

/** The built-ins {{track}}, {{pods}}, {{namespace}} and {{release}} filled in; track and pods mean the candidate's. */
export function fill(query: string, { release, namespace, canaryPods }: Window): string {
  const values: Record<string, string> = { track: `pod=~"${canaryPods}"`, pods: canaryPods, namespace, release };
  return query.replaceAll(/\{\{\s*(track|pods|namespace|release)\s*\}\}/g, (_, name: string) => values[name] as string);
}

/**
 * Judges every point of the window, whenever the tick comes: a spike between two ticks still counts. No data is never a pass, and what
 * Prometheus did not fully answer is neither a pass nor a fail.
 */
export function judge(gate: Gate, asked: RangeQuery | undefined, answer: MetricsAnswer | undefined): Reading {
  const again = gate.interval;
  const wait = (saw: string): Reading => ({ verdict: 'wait', gate: gate.name, saw, lookAgainIn: again });
  if (!asked || !answer) return wait(`the first whole interval of ${gate.interval} s and a lag of ${gate.lag} s are not over`);
  if (answer.kind === 'unavailable') return wait(`Prometheus did not answer: ${answer.why}`);
  const points = answer.series.flatMap((s) => s.points).filter(([, value]) => Number.isFinite(value));
  const bad = points.filter(([, value]) => outside(gate, value));
  if (answer.warnings.length > 0) return wait(`Prometheus answered in part: ${answer.warnings.join('; ')}`);
  if (bad.length > gate.threshold.failureLimit) return { verdict: 'fail', gate: gate.name, saw: failure(gate, bad, points.length) };
  if (points.length < gate.threshold.minPoints)
    return wait(`${points.length} of ${gate.threshold.minPoints} points with a value since ${iso(asked.start)}`);
  return { verdict: 'pass', gate: gate.name, saw: `${points.length} points, worst ${round(worst(gate, points))}, ${limits(gate)}` };
}

function outside({ threshold: { min, max } }: Gate, value: number): boolean {
  return (max !== undefined && value > max) || (min !== undefined && value < min);
}

function failure(gate: Gate, bad: readonly (readonly [number, number])[], all: number): string {
  const first = bad[0] as readonly [number, number];
  return `${bad.length} of ${all} points outside, first ${round(first[1])} at ${iso(first[0] as Instant)}, worst ${round(worst(gate, bad))}, ${limits(gate)}`;
}

function worst({ threshold: { max } }: Gate, points: readonly (readonly [number, number])[]): number {
  const values = points.map(([, value]) => value);
  return max === undefined ? Math.min(...values) : Math.max(...values);
}

function limits({ threshold: { min, max } }: Gate): string {
  return [max === undefined ? '' : `at most ${max}`, min === undefined ? '' : `at least ${min}`].filter(Boolean).join(', ');
}

function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}
