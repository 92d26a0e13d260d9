import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SerinError } from '../errors.ts';
import type { Source } from '../ports.ts';
import { directorySource } from './directory.ts';
import { gitSource, isRemote } from './git.ts';
import { withoutPassword } from './run-git.ts';

/**
 * The source that a person named: an address that git fetches from, a repository (bare or with a working directory: what `base` has committed),
 * or a plain directory as it lies there.
 * @param cacheFolder where what is fetched from an address is kept; the user's cache when nothing is said
 * @throws SerinError E_NO_REPOSITORY when there is nothing of that name
 */
export async function openSource(locator: string, base: string, cacheFolder?: string): Promise<Source> {
  if (isRemote(locator)) return gitSource({ path: locator, base, ...(cacheFolder === undefined ? {} : { cacheFolder }) });
  if (!(await isThere(locator, 'folder'))) {
    throw new SerinError('E_NO_REPOSITORY', `${withoutPassword(locator)} is no folder`, {
      hint: 'name a directory, a Git repository, or an address such as https://host/owner/name',
      retry: 'never',
    });
  }
  const bare = (await isThere(join(locator, 'HEAD'), 'file')) && (await isThere(join(locator, 'objects'), 'folder'));
  // In a linked worktree .git is a file.
  const worked = (await isThere(join(locator, '.git'), 'folder')) || (await isThere(join(locator, '.git'), 'file'));
  return bare || worked ? gitSource({ path: locator, base }) : directorySource(locator);
}

async function isThere(path: string, kind: 'folder' | 'file'): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return kind === 'folder' ? (found?.isDirectory() ?? false) : (found?.isFile() ?? false);
}
