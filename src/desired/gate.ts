import * as v from 'valibot';
import { at } from '../objects.ts';
import { seconds } from '../units.ts';
import type { Path } from './position.ts';
import { type Problem, readOne } from './reading.ts';
import { envelope, fields, later, length, text, where } from './shape.ts';
import type { Gate } from './types.ts';

const number = where<number>((value) => typeof value === 'number', 'a number');
const count = (least: number) =>
  where<number>((value) => Number.isInteger(value) && (value as number) >= least, `a whole number from ${least}`);
const bounds = fields('thresholdRange', { min: v.exactOptional(number), max: v.exactOptional(number) });

const threshold = fields('threshold', {
  query: text('a PromQL query'),
  thresholdRange: bounds,
  failureLimit: v.optional(count(0), 0),
  minPoints: v.optional(count(1), 3),
});

/** What a gate says, apart from its name: the same in gates/*.yaml and inside a release. */
export const gateEntries = {
  threshold,
  interval: v.optional(length, '60s'),
  lag: v.optional(length, '60s'),
  compare: later('threshold'),
  job: later('threshold'),
  web: later('threshold'),
};
const gateSpec = fields('a gate', gateEntries);
const gateFile = envelope('Gate', 'the name of the gate', { spec: gateSpec });

export function gateOf(name: string, spec: Pick<v.InferOutput<typeof gateSpec>, 'threshold' | 'interval' | 'lag'>): Gate {
  const { query, thresholdRange, failureLimit, minPoints } = spec.threshold;
  return {
    name,
    interval: seconds(spec.interval),
    lag: seconds(spec.lag),
    threshold: { query, ...thresholdRange, failureLimit, minPoints },
  };
}

/** What a schema of single fields cannot see: a range without a bound passes all, one that is upside down fails all; a point needs time between it and the next. */
export function gateProblems(spec: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const range = at(spec, 'threshold', 'thresholdRange');
  const [min, max] = [at(range, 'min'), at(range, 'max')];
  const place = [...path, 'threshold', 'thresholdRange'];
  if (typeof range === 'object' && range !== null && min === undefined && max === undefined)
    problems.push({ path: place, expected: 'min, max or both' });
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    problems.push({ path: [...place, 'max'], expected: `a number not below min, which is ${min}` });
  if (/^(0+[dhms])+$/.test(String(at(spec, 'interval')))) problems.push({ path: [...path, 'interval'], expected: 'a duration above zero' });
  return problems;
}

/** A file gates/*.yaml. @throws InputError with all its mistakes */
export function parseGate(file: string, text: string): Gate {
  const { metadata, spec } = readOne(file, text, gateFile, (document) => gateProblems(at(document, 'spec'), ['spec']));
  return gateOf(metadata.name, spec);
}
