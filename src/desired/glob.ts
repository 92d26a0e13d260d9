/** Paths that match a glob: * is any text within one folder's name, ** any number of folders. Everything else stands for itself. */
export function glob(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*\/|\*\*|\*)/)
    .map((part) =>
      part === '**/' ? '(?:[^/]+/)*' : part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('');
  return new RegExp(`^${source}$`);
}

/** A path below a folder with '.' and doubled slashes taken out; the root is the empty text. */
export function join(...parts: readonly string[]): string {
  return parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** The folder that a file lies in; the root is the empty text. */
export function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
}
