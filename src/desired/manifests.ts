import { InputError, type Mistake } from '../errors.ts';
import { at, type KubeObject, keyOf, type ObjectKey, refOf, title } from '../objects.ts';
import { folderOf, join } from './glob.ts';
import { type Path, positionOf } from './position.ts';
import { attempt, gather, mistakesOf, type Problem } from './reading.ts';
import type { Files } from './types.ts';
import { parseDocuments } from './yaml.ts';

/** One object and where it is written. */
interface Found {
  readonly file: string;
  readonly text: string;
  readonly index: number;
  readonly path: Path;
  readonly object: KubeObject;
}

const MANIFEST = /\.(ya?ml|json)$/;
const KUSTOMIZATION = /(^|\/)[Kk]ustomization(\.ya?ml)?$/;

/**
 * The Kubernetes objects in all *.yaml, *.yml and *.json files below a folder, by file and then in the order of the file. Lists are
 * unfolded; serin's own files and kustomization files are left out.
 * @param folder from the repository's root, for example releases/shop; the root itself is the empty text
 * @param options namespace of objects that name none: two objects that would be one there are a mistake
 * @throws InputError with every mistake of every file
 */
export function parseManifests(files: Files, folder: string, options: { readonly namespace: string }): KubeObject[] {
  const below = join(folder);
  const entries = [...files]
    .filter(
      ([file]) =>
        MANIFEST.test(file) && !KUSTOMIZATION.test(file) && !isStory(file, files) && (below === '' || file.startsWith(`${below}/`)),
    )
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const readings = entries.map(([file, text]) => attempt(() => objectsIn(file, text)));
  const found = readings.flatMap((reading) => ('value' in reading ? reading.value : []));
  const twice = doubles(found, options.namespace);
  gather<unknown>([...readings, ...(twice.length > 0 ? [{ mistake: new InputError(twice) }] : [])]);
  return found.map(({ object }) => object);
}

/**
 * A rollout.yaml of ours, told by its text or by the release.yaml beside it. It is not even parsed: conflict markers in it must not keep
 * the manifests from being read.
 */
function isStory(file: string, files: Files): boolean {
  const beside = files.get(join(folderOf(file), 'release.yaml'));
  return /(^|\/)rollout\.yaml$/.test(file) && [files.get(file), beside].some((text) => text?.includes('serin.dev/'));
}

function objectsIn(file: string, text: string): Found[] {
  const found: Found[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, document] of parseDocuments(file, text).entries()) {
    if (isOurs(document)) continue;
    for (const { value, path } of unfold(document, [])) {
      const problems = objectProblems(value, path);
      mistakes.push(...mistakesOf(file, text, index, document, problems));
      if (problems.length === 0) found.push({ file, text, index, path, object: value as KubeObject });
    }
  }
  if (mistakes.length > 0) throw new InputError(mistakes);
  return found;
}

/** What is read by serin or by kustomize rather than sent to a cluster. Flux has a kind Kustomization too, of another group: that one is sent. */
function isOurs(document: unknown): boolean {
  const apiVersion = String(at(document, 'apiVersion'));
  return (
    apiVersion.startsWith('serin.dev/') || (apiVersion.startsWith('kustomize.config.k8s.io/') && at(document, 'kind') === 'Kustomization')
  );
}

/** A List is its items, as kubectl takes it. */
function unfold(value: unknown, path: Path): { value: unknown; path: Path }[] {
  const items = at(value, 'items');
  if (!String(at(value, 'kind')).endsWith('List') || !Array.isArray(items)) return [{ value, path }];
  return items.flatMap((item, index) => unfold(item, [...path, 'items', index]));
}

function objectProblems(value: unknown, path: Path): Problem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path, expected: 'a Kubernetes object', found: Array.isArray(value) ? 'a list' : 'a single value' }];
  const wanted: readonly (readonly [Path, string])[] = [
    [['apiVersion'], 'apiVersion: for example apps/v1'],
    [['kind'], 'kind: for example Deployment'],
    [['metadata', 'name'], 'metadata.name: the name of the object'],
  ];
  const problems: Problem[] = wanted
    .filter(([field]) => !isText(at(value, ...field)))
    .map(([field, expected]) => ({ path: [...path, ...field], expected }));
  const namespace = at(value, 'metadata', 'namespace');
  if (namespace !== undefined && !isText(namespace))
    problems.push({ path: [...path, 'metadata', 'namespace'], expected: 'the name of a namespace' });
  return problems;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** The same object twice: which of the two should it be? */
function doubles(found: readonly Found[], namespace: string): Mistake[] {
  const first = new Map<ObjectKey, Found>();
  const mistakes: Mistake[] = [];
  for (const one of found) {
    const ref = refOf(one.object);
    const key = keyOf({ ...ref, namespace: ref.namespace ?? namespace });
    const other = first.get(key);
    if (other === undefined) first.set(key, one);
    else
      mistakes.push({
        file: one.file,
        ...placeOf(one),
        expected: `each object once (the other is at ${other.file}:${placeOf(other).line})`,
        found: title(ref),
      });
  }
  return mistakes;
}

function placeOf({ text, index, path }: Found): { line: number; column: number } {
  const { line, column } = positionOf(text, index, path);
  return { line, column };
}
