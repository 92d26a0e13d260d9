import { at } from '../objects.ts';
import type { MetricsAnswer, Series } from '../ports.ts';

/** A successful answer to a range query, read strictly: what is not exactly as documented is unavailable, never half a result. */
export function readMatrix(text: string): MetricsAnswer {
  const answer = parsed(text);
  if (at(answer, 'status') !== 'success') return unreadable('it does not say success');
  const type = at(answer, 'data', 'resultType');
  if (type !== 'matrix') return unreadable(`its result is ${typeof type === 'string' ? type : 'missing'}, not a matrix`);
  const result = at(answer, 'data', 'result');
  if (!Array.isArray(result)) return unreadable('its result is no list');
  const series: Series[] = [];
  for (const entry of result) {
    if (at(entry, 'histograms') !== undefined)
      return unreadable('it holds native histograms: wrap the query in histogram_quantile or histogram_fraction');
    const one = readSeries(entry);
    if (one === undefined) return unreadable('a series in it is malformed');
    series.push(one);
  }
  const warnings = at(answer, 'warnings') ?? [];
  if (!isTexts(warnings)) return unreadable('its warnings are no list of texts');
  return { kind: 'series', series, warnings };
}

/** ": bad_data: parse error" from an error's body, as the API words it, or nothing. */
export function errorOf(text: string): string {
  const answer = parsed(text);
  const words = [at(answer, 'errorType'), at(answer, 'error')].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? '' : `: ${words.join(': ').slice(0, 500)}`;
}

function unreadable(why: string): MetricsAnswer {
  return { kind: 'unavailable', why: `the answer cannot be read: ${why}` };
}

function readSeries(entry: unknown): Series | undefined {
  const metric = at(entry, 'metric');
  const values = at(entry, 'values');
  if (typeof metric !== 'object' || metric === null || !isTexts(Object.values(metric)) || !Array.isArray(values)) return undefined;
  const points: (readonly [number, number])[] = [];
  for (const pair of values) {
    const [when, text] = Array.isArray(pair) && pair.length === 2 ? pair : [];
    const value = readNumber(text);
    if (typeof when !== 'number' || value === undefined) return undefined;
    points.push([when, value]);
  }
  return { labels: metric as Record<string, string>, points };
}

const WORDS: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['+Inf', Number.POSITIVE_INFINITY],
  ['Inf', Number.POSITIVE_INFINITY],
  ['-Inf', Number.NEGATIVE_INFINITY],
]);

/** Go writes floats as 1, 0.5 and 1e+06, and three of them as words. */
function readNumber(text: unknown): number | undefined {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  return typeof text === 'string' && /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
