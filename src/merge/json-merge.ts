import { type Fields, fieldsOf, isFields, sameJson, withoutNulls } from './json.ts';

/**
 * The JSON merge patch that turns live into result: lists are replaced whole. Result has no nulls.
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export function jsonMergeDiff(live: Fields, result: Fields): Fields {
  const changed = [...new Set([...Object.keys(live), ...Object.keys(result)])].filter((key) => !sameJson(live[key], result[key]));
  return fieldsOf(
    changed.map((key) => {
      const [before, after] = [live[key], result[key]];
      if (after === undefined) return [key, null];
      return [key, isFields(before) && isFields(after) ? jsonMergeDiff(before, after) : after];
    }),
  );
}

/** Live as the API server will have it after a JSON merge patch. */
export function applyJsonMerge(live: Fields, patch: Fields): Fields {
  const merged = new Map(Object.entries(live));
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isFields(value)) merged.set(key, isFields(before) ? applyJsonMerge(before, value) : withoutNulls(value));
    else merged.set(key, value);
  }
  return fieldsOf(merged);
}
