import { folderOf, join } from '../desired/glob.ts';
import { parseManifests } from '../desired/manifests.ts';
import { attempt, gather } from '../desired/reading.ts';
import type { Files, Release, RenderedSet, Sha } from '../desired/types.ts';
import { InputError } from '../errors.ts';
import type { Kind, KubeObject } from '../objects.ts';
import { revisionOf } from '../versions/revision.ts';
import { trafficMistakes } from '../versions/validate.ts';

/**
 * The set that a release renders to from plain manifests at one commit. Objects that live in a namespace and name none get the release's;
 * what belongs to the cluster as a whole has none, whatever its file says, as the API server would have it.
 * @throws InputError with every mistake in the manifests
 */
export async function renderPlain(
  release: Release,
  commit: Sha,
  files: Files,
  namespaced: (kind: Kind) => Promise<boolean>,
): Promise<RenderedSet> {
  const objects: KubeObject[] = [];
  for (const object of parseManifests(files, folder(release), { namespace: release.namespace })) {
    const { namespace, ...metadata } = object.metadata;
    const within = (await namespaced(object)) ? { namespace: namespace ?? release.namespace } : {};
    objects.push({ ...object, metadata: { ...metadata, ...within } });
  }
  return { revision: revisionOf(objects), commit, objects };
}

/**
 * Reads the manifests of every release once, so that all their mistakes come together and before a cluster is asked anything.
 * @throws InputError
 */
export function checkPlain(releases: readonly Release[], files: Files): void {
  gather<unknown>(
    releases.map((release) =>
      attempt(() => {
        const mistakes = trafficMistakes(release, files, parseManifests(files, folder(release), { namespace: release.namespace }));
        if (mistakes.length > 0) throw new InputError(mistakes);
      }),
    ),
  );
}

/** Files that other releases render from as well: a roll-back of one release leaves them alone. */
export function sharedFiles(release: Release, releases: readonly Release[], files: Files): ReadonlySet<string> {
  const others = releases.filter((other) => other.name !== release.name).map((other) => `${folder(other)}/`);
  return new Set([...files.keys()].filter((path) => others.some((root) => path.startsWith(root))));
}

function folder(release: Release): string {
  return join(folderOf(release.file), release.render.manifests);
}
