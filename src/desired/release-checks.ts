import { at } from '../objects.ts';
import { gateProblems } from './gate.ts';
import type { Path } from './position.ts';
import type { Problem } from './reading.ts';
import { isWeight, nearest } from './shape.ts';
import type { Adoption, Gate } from './types.ts';

/** What the names in a release may mean. */
export interface Surroundings {
  readonly gates: ReadonlyMap<string, Gate>;
  /** Names of gates whose files cannot be read: they are known, and nothing more. */
  readonly unreadGates?: readonly string[];
  /** Undefined when serin.yaml cannot be read: then no name of a cluster is wrong. */
  readonly clusters: readonly string[] | undefined;
  readonly adopt: Adoption;
}

interface Named {
  readonly name: unknown;
  readonly path: Path;
}

/** Mistakes across fields: names that mean nothing, names said twice, weights that do not rise to 100. */
export function releaseProblems(document: unknown, around: Surroundings): Problem[] {
  const spec = at(document, 'spec');
  const inline = inlineGates(at(spec, 'gates'));
  const canary = at(spec, 'strategy', 'canary');
  return [
    ...inline.flatMap(({ spec, path }) => gateProblems(spec, path)),
    ...twice(inline, 'gate'),
    ...inline
      .filter(({ name }) => around.gates.has(String(name)))
      .map(({ path, name }) => ({ path, expected: `a name that no file in gates/ has`, found: String(name) })),
    ...waves(at(spec, 'waves'), around.clusters),
    ...gatesNamed(canary, [...inline.map(({ name }) => String(name)), ...around.gates.keys(), ...(around.unreadGates ?? [])]),
    ...weights(at(canary, 'steps')),
    ...twice(named(at(canary, 'traffic'), ['spec', 'strategy', 'canary', 'traffic'], 'service'), 'service'),
  ];
}

const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function named(value: unknown, path: Path, field: string): Named[] {
  return items(value).map((item, index) => ({ name: at(item, field), path: [...path, index, field] }));
}

function inlineGates(value: unknown): (Named & { spec: unknown })[] {
  const path = ['spec', 'gates'];
  if (Array.isArray(value)) return value.map((spec, index) => ({ name: at(spec, 'name'), path: [...path, index], spec }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, spec]) => ({ name, path: [...path, name], spec }));
}

function twice(given: readonly Named[], what: string): Problem[] {
  return given
    .filter(({ name }, index) => typeof name === 'string' && given.findIndex((other) => other.name === name) < index)
    .map(({ name, path }) => ({ path, expected: `each ${what} once`, found: `${String(name)} a second time` }));
}

function waves(value: unknown, known: readonly string[] | undefined): Problem[] {
  const path = ['spec', 'waves'];
  const clusters = items(value).flatMap((wave, index) =>
    items(at(wave, 'clusters')).map((name, place) => ({ name, path: [...path, index, 'clusters', place] })),
  );
  const unknown = clusters.filter(({ name }) => typeof name === 'string' && known !== undefined && !known.includes(name));
  return [
    ...twice(named(value, path, 'name'), 'wave'),
    ...twice(clusters, 'cluster'),
    ...unknown.map(({ name, path }) => ({ path, expected: knownName('a cluster of serin.yaml', String(name), known ?? []) })),
  ];
}

function gatesNamed(canary: unknown, known: readonly string[]): Problem[] {
  const path = ['spec', 'strategy', 'canary'];
  const lists = [
    { names: at(canary, 'gates'), path: [...path, 'gates'] },
    ...items(at(canary, 'steps')).map((step, index) => ({ names: at(step, 'gates'), path: [...path, 'steps', index, 'gates'] })),
  ];
  return lists.flatMap(({ names, path }) =>
    items(names)
      .map((name, index) => ({ name, path: [...path, index] }))
      .filter(({ name }) => typeof name === 'string' && !known.includes(name))
      .map(({ name, path }) => ({ path, expected: knownName('the name of a gate', String(name), known) })),
  );
}

function knownName(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `${what} (did you mean ${near}?)`;
  return known.length === 0 ? `${what}, of which there is none` : `${what}: one of ${known.join(', ')}`;
}

/** Weights say by themselves which step they are: so each is there once, they rise, and the last one carries everything. */
function weights(value: unknown): Problem[] {
  const path = (index: number): Path => ['spec', 'strategy', 'canary', 'steps', index, 'weight'];
  const given = items(value).map((step) => at(step, 'weight'));
  const problems: Problem[] = [];
  for (const [index, weight] of given.entries()) {
    const before = given.slice(0, index).filter(isWeight).at(-1);
    if (!isWeight(weight)) continue;
    if (before !== undefined && weight === before)
      problems.push({ path: path(index), expected: `each weight once, and more than ${before}` });
    else if (before !== undefined && weight < before)
      problems.push({ path: path(index), expected: `a weight above that of the step before, which is ${before}` });
    if (before === undefined && index === 0 && weight === 0)
      problems.push({ path: path(0), expected: 'a weight above 0 in the first step' });
  }
  const last = given.at(-1);
  if (isWeight(last) && last < 100) problems.push({ path: path(given.length - 1), expected: 'weight 100 in the last step' });
  return problems;
}
