import { createHash } from 'node:crypto';

const pointer = 'version https://git-lfs.github.com/spec/v1\n';
/** A Git LFS pointer is smaller than this. https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const pointerLimit = 1024;

/** The text of a file, or undefined for what is none: bytes with a NUL among them (as git judges binary files) and Git LFS pointers. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  const text = bytes.toString('utf8');
  return bytes.length < pointerLimit && text.startsWith(pointer) ? undefined : text;
}

/** Modes of files that hold text of their own: plain and executable ones, neither links (120000) nor submodules (160000). */
export function isFileMode(mode: string): boolean {
  return mode === '100644' || mode === '100755';
}

/** Whether a path is one of these folders' files, or one of these files; everything is when none is named. Paths count from the repository's root. */
export function within(path: string, folders: readonly string[]): boolean {
  const plain = folders.map((folder) => folder.replace(/^\.?\/+|\/+$/g, '').replace(/^\.$/, ''));
  return plain.length === 0 || plain.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`));
}

/** The name that Git gives to these bytes as a blob. */
export function blobSha(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
