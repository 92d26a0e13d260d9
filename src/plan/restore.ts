import { folderOf, join } from '../desired/glob.ts';
import type { Sha } from '../desired/types.ts';
import type { ReleaseLook } from './look.ts';

/**
 * The files that bring the release's manifests back to what they were at a commit: whole texts, null where the file was not there.
 * Strategy and gates come from head, so release.yaml stays; a file that another release renders from as well is left alone.
 */
export function restored(look: ReleaseLook, commit: Sha): Readonly<Record<string, string | null>> {
  const before = look.files.get(commit);
  const now = look.files.get(look.head.commit);
  if (!before || !now) return {};
  const root = `${join(folderOf(look.release.file), look.release.render.manifests)}/`;
  const mine = (path: string) =>
    path.startsWith(root) && path !== look.rolloutFile && path !== look.release.file && !look.sharedFiles.has(path);
  const paths = [...new Set([...before.keys(), ...now.keys()])].filter(mine).sort();
  return Object.fromEntries(paths.filter((path) => before.get(path) !== now.get(path)).map((path) => [path, before.get(path) ?? null]));
}
