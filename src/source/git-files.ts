import type { Files, Sha } from '../desired/types.ts';
import { runGit } from './run-git.ts';
import { isFileMode, textOf, within } from './text.ts';

/** Text files of one commit, read from Git's own objects; `prefix` is a folder of the repository that paths are counted from, empty or ending in a slash. */
export async function filesOfCommit(
  folder: string,
  commit: Sha,
  prefix: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<Files> {
  const listing = await runGit(folder, ['ls-tree', '-r', '-z', '--full-tree', commit], signal);
  const wanted = listing
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, mode = '', sha = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      const name = path.slice(prefix.length);
      return isFileMode(mode) && path.startsWith(prefix) && within(name, folders) ? [{ name, sha }] : [];
    });
  const blobs = await readBlobs(
    folder,
    wanted.map(({ sha }) => sha),
    signal,
  );
  const texts = wanted.map(({ name }, i) => [name, textOf(blobs[i] as Buffer)] as const);
  return new Map(texts.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** Contents in the order asked for. https://git-scm.com/docs/git-cat-file#_batch_output */
async function readBlobs(folder: string, shas: readonly string[], signal: AbortSignal): Promise<readonly Buffer[]> {
  if (shas.length === 0) return [];
  const output = await runGit(folder, ['cat-file', '--batch'], signal, `${shas.join('\n')}\n`);
  const blobs: Buffer[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const size = Number(output.subarray(at, end).toString().split(' ')[2]);
    blobs.push(output.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return blobs;
}
