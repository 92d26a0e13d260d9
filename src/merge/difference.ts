import { type KubeObject, SERIN } from '../objects.ts';
import { fieldOf, isKeyed } from './equal.ts';
import { identify, idOf, repeats } from './identity.ts';
import { type Fields, isFields, omit, sameJson } from './json.ts';
import { isSecret } from './last-applied.ts';
import { type FieldStep, ownerOf } from './managed-fields.ts';
import { masked } from './secret.ts';
import type { Difference, MergeField, MergeSchema } from './types.ts';

/** What the server keeps about an object, and the annotation that remembers the manifest: no part of what Git says. */
const bookkeeping: readonly string[] = ['resourceVersion', 'managedFields', 'generation', 'uid', 'creationTimestamp', 'selfLink'];

/** A value on both sides, and the way to it. */
interface Place {
  readonly live: unknown;
  readonly result: unknown;
  readonly path: string;
  readonly steps: readonly FieldStep[];
}

/**
 * Field by field what differs between live and what it shall be, with who wrote the live value and when. Values of Secrets are masked.
 * @param schema names the items of keyed lists: containers[name=app]; without one they are numbered
 */
export function differences(live: KubeObject, result: KubeObject, schema?: MergeSchema): readonly Difference[] {
  const top: Place = { live: withoutBookkeeping(live), result: withoutBookkeeping(result), path: '', steps: [] };
  const secret = isSecret(live);
  return below(top, schema).map(({ live: before, result: after, path, steps }) => {
    const owner = before === undefined ? undefined : ownerOf(live, steps);
    const isHidden = secret && /^(data|stringData)($|[.[])/.test(path);
    return {
      path,
      live: isHidden ? masked(before) : before,
      desired: isHidden ? masked(after) : after,
      ...(owner === undefined ? {} : { manager: owner.manager }),
      ...(owner?.time === undefined ? {} : { time: owner.time }),
    };
  });
}

/** The object without what the server keeps about it, its status, and the last-applied annotation. */
export function withoutBookkeeping(object: Fields): Fields {
  const metadata = isFields(object.metadata) ? object.metadata : {};
  const annotations = isFields(metadata.annotations) ? { annotations: omit(metadata.annotations, [SERIN.lastApplied]) } : {};
  return { ...omit(object, ['status']), metadata: { ...omit(metadata, bookkeeping), ...annotations } };
}

function below(place: Place, schema: MergeSchema | undefined): readonly Place[] {
  const [live, result] = [place.live as Fields, place.result as Fields];
  return [...new Set([...Object.keys(live), ...Object.keys(result)])].flatMap((key) => {
    const step = { live: live[key], result: result[key], path: named(place.path, key), steps: [...place.steps, { field: key }] };
    return inField(step, fieldOf(schema, key));
  });
}

function inField(place: Place, field: MergeField | undefined): readonly Place[] {
  const { live, result } = place;
  if (sameJson(live, result) || (isEmpty(live) && isEmpty(result))) return [];
  if (isFields(live) && isFields(result)) return below(place, field?.of());
  if (isKeyed(field) && Array.isArray(live) && Array.isArray(result)) return inItems(place, live, result, field);
  return [place];
}

function inItems(place: Place, live: readonly unknown[], result: readonly unknown[], field: MergeField): readonly Place[] {
  const id = identify(field, [live, result]);
  const [before, after] = [live, result].map((list) => new Map(id(list).map((name, at) => [name, list[at]]))) as [
    Map<string, unknown>,
    Map<string, unknown>,
  ];
  const short = field.key === undefined ? [] : [field.key];
  const keys = [live, result].some((list) => repeats(list.map((item) => idOf(item, field.key)))) ? (field.listMapKeys ?? short) : short;
  const found = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, next] = [before.get(name), after.get(name)];
    const label = labelOf(old ?? next, keys);
    const item = { live: old, result: next, path: `${place.path}[${label}]`, steps: [...place.steps, { item: old }] };
    if (sameJson(old, next)) return [];
    return isFields(old) && isFields(next) ? below(item, field.of()) : [item];
  });
  return found.length > 0 ? found : [place];
}

/** name=app, or port=53,protocol=UDP where one key is not enough; a scalar stands for itself. */
function labelOf(item: unknown, keys: readonly string[]): string {
  if (!isFields(item)) return String(item);
  return keys
    .filter((key) => item[key] !== undefined)
    .map((key) => `${key}=${String(item[key])}`)
    .join(',');
}

function named(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}['${key}']`;
  return path === '' ? key : `${path}.${key}`;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (isFields(value) && Object.keys(value).length === 0);
}
