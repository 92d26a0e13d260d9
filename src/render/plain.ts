import { folderOf, join } from '../desired/glob.ts';
import { parseManifests } from '../desired/manifests.ts';
import type { Files, Release, RenderedSet, Sha } from '../desired/types.ts';
import type { Kind, KubeObject } from '../objects.ts';
import { revisionOf } from '../versions/revision.ts';

/**
 * The set that a release renders to from plain manifests at one commit. Objects that live in a namespace and name none get the release's.
 * @throws InputError with every mistake in the manifests
 */
export async function renderPlain(
  release: Release,
  commit: Sha,
  files: Files,
  namespaced: (kind: Kind) => Promise<boolean>,
): Promise<RenderedSet> {
  const folder = join(folderOf(release.file), release.render.manifests);
  const objects: KubeObject[] = [];
  for (const object of parseManifests(files, folder, { namespace: release.namespace })) {
    const needs = object.metadata.namespace === undefined && (await namespaced(object));
    objects.push(needs ? { ...object, metadata: { ...object.metadata, namespace: release.namespace } } : object);
  }
  return { revision: revisionOf(objects), commit, objects };
}
