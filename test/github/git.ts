import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitError, runGit } from './run-git.ts';

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  readonly size?: number;
}

export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** RFC 3339 */
  readonly date: string;
}

export interface Change {
  readonly path: string;
  readonly status: 'added' | 'removed' | 'modified';
  readonly sha: string;
  readonly additions: number;
  readonly deletions: number;
  readonly patch: string;
}

const nobody = '0'.repeat(40);

/** A bare repository behind the git binary: what a Git host does to one, and nothing else. */
export class BareRepository {
  readonly folder: string;
  /** Answers about objects, by their SHAs: they never change. */
  readonly #known = new Map<string, Promise<unknown>>();
  constructor(folder: string) {
    this.folder = folder;
  }

  #once<Result>(key: string, ask: () => Promise<Result>): Promise<Result> {
    const known = this.#known.get(key) as Promise<Result> | undefined;
    if (known !== undefined) return known;
    const answer = ask();
    this.#known.set(key, answer);
    // What is not there today may be pushed tomorrow.
    answer.catch(() => this.#known.delete(key));
    return answer;
  }

  /** Opens the repository, or makes it with one commit of these files on main, as a host does with a README. */
  static async open(folder: string, files: Readonly<Record<string, string>>): Promise<BareRepository> {
    const repository = new BareRepository(folder);
    if (existsSync(join(folder, 'HEAD'))) return repository;
    await runGit(['init', '--quiet', '--bare', '--initial-branch=main', folder], process.cwd());
    const by = `acme <acme@users.noreply.example> ${Math.floor(Date.now() / 1000)} +0000`;
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const changes = Object.entries(files).map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`);
    await repository.git(
      ['fast-import', '--quiet'],
      `commit refs/heads/main\ncommitter ${by}\n${data('Initial commit')}${changes.join('')}`,
    );
    return repository;
  }

  git(args: readonly string[], input?: string | Buffer, env: Record<string, string> = {}): Promise<Buffer> {
    return runGit(['--git-dir', this.folder, ...args], this.folder, input, env);
  }

  async text(args: readonly string[], input?: string, env: Record<string, string> = {}): Promise<string> {
    return (await this.git(args, input, env)).toString().trimEnd();
  }

  /** The object at a path of a tree or commit; undefined when there is none. */
  async at(tree: string, path: string): Promise<string | undefined> {
    return this.text(['rev-parse', '--quiet', '--verify', '--end-of-options', `${tree}:${path}`]).catch(() => undefined);
  }

  /** The object that a name stands for, peeled to the type asked; undefined when there is none. */
  async resolve(name: string, type: 'commit' | 'tree'): Promise<string | undefined> {
    if (name.startsWith('-') || name.includes('..')) return undefined;
    const full = /^(heads|tags)\//.test(name) ? `refs/${name}` : name;
    return this.text(['rev-parse', '--quiet', '--verify', '--end-of-options', `${full}^{${type}}`]).catch(() => undefined);
  }

  /** What kind of object this is; undefined when there is none. */
  type(sha: string): Promise<string | undefined> {
    return this.#once(`type ${sha}`, () => this.text(['cat-file', '-t', sha])).catch(() => undefined);
  }

  blob(sha: string): Promise<Buffer> {
    return this.#once(`blob ${sha}`, () => this.git(['cat-file', 'blob', sha]));
  }

  tree(sha: string, recursive: boolean): Promise<readonly TreeEntry[]> {
    return this.#once(`tree ${sha} ${recursive}`, () => this.#readTree(sha, recursive));
  }

  async #readTree(sha: string, recursive: boolean): Promise<readonly TreeEntry[]> {
    const listing = await this.git(['ls-tree', '-z', '--long', ...(recursive ? ['-r', '-t'] : []), sha]);
    const lines = listing
      .toString()
      .split('\0')
      .filter((line) => line !== '');
    return lines.map((line) => {
      const [, mode, type, object, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(line) as unknown as string[];
      return { path, mode, type, sha: object, ...(size === '-' ? {} : { size: Number(size) }) } as TreeEntry;
    });
  }

  /** A tree from `base` with these entries put in; neither content nor sha removes the path. */
  async writeTree(
    base: string | undefined,
    entries: readonly { path: string; mode: string; content?: string | undefined; sha?: string | null | undefined }[],
  ): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'serin-index-'));
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    try {
      if (base !== undefined) await this.git(['read-tree', base], undefined, env);
      const lines: string[] = [];
      for (const { path, mode, content, sha } of entries) {
        const object = content === undefined ? sha : await this.text(['hash-object', '-w', '--stdin'], content);
        lines.push(object ? `${mode} ${object}\t${path}\0` : `0 ${nobody}\t${path}\0`);
      }
      await this.git(['update-index', '-z', '--index-info'], lines.join(''), env);
      return await this.text(['write-tree'], undefined, env);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /** The message is kept to the byte: hash-object adds no newline, as commit-tree would. */
  writeCommit({ tree, parents, author, committer, message }: Omit<Commit, 'sha'>): Promise<string> {
    const by = ({ name, email, date }: Signature) => `${name} <${email}> ${Math.floor(Date.parse(date) / 1000)} +0000`;
    const lines = [`tree ${tree}`, ...parents.map((p) => `parent ${p}`), `author ${by(author)}`, `committer ${by(committer)}`, '', message];
    return this.text(['hash-object', '-t', 'commit', '-w', '--stdin'], lines.join('\n'));
  }

  commit(sha: string): Promise<Commit> {
    return this.#once(`commit ${sha}`, () => this.#readCommit(sha));
  }

  async #readCommit(sha: string): Promise<Commit> {
    const raw = (await this.git(['cat-file', 'commit', sha])).toString();
    const end = raw.indexOf('\n\n');
    const headers = raw.slice(0, end).split('\n');
    const values = (name: string) => headers.filter((h) => h.startsWith(`${name} `)).map((h) => h.slice(name.length + 1));
    const [author, committer] = [values('author')[0], values('committer')[0]].map((line) => signature(line ?? '')) as [
      Signature,
      Signature,
    ];
    return { sha, tree: values('tree')[0] ?? '', parents: values('parent'), author, committer, message: raw.slice(end + 2).trimEnd() };
  }

  /** Moves a ref only when it is at `from` now; forty zeros mean that it must not be there. @throws GitError */
  async updateRef(ref: string, to: string, from: string): Promise<void> {
    await this.git(['update-ref', ref, to, from]);
  }

  async deleteRef(ref: string, from: string): Promise<void> {
    await this.git(['update-ref', '-d', ref, from]);
  }

  async refs(prefix: string): Promise<ReadonlyMap<string, string>> {
    const lines = (await this.text(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/']))
      .split('\n')
      .filter((line) => line !== '');
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)] as const).filter(([name]) => name.startsWith(prefix)));
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    return this.git(['merge-base', '--is-ancestor', older, newer]).then(
      () => true,
      () => false,
    );
  }

  /** The commits of `head` that `base` has not. */
  commitsBetween(base: string, head: string): Promise<number> {
    return this.#once(`between ${base} ${head}`, async () => Number(await this.text(['rev-list', '--count', `${base}..${head}`])));
  }

  /** The tree of a merge, or undefined when it conflicts. */
  async mergeTree(base: string, head: string): Promise<string | undefined> {
    return this.text(['merge-tree', '--write-tree', base, head]).catch((error: unknown) => {
      if (error instanceof GitError && error.code === 1) return undefined;
      throw error;
    });
  }

  /** What `head` changes against where it left `base`; against nothing when there is no base. */
  changes(base: string, head: string): Promise<readonly Change[]> {
    return this.#once(`changes ${base} ${head}`, () => this.#diff(base, head));
  }

  async #diff(base: string, head: string): Promise<readonly Change[]> {
    const raw = (await this.text(['diff', '--raw', '--no-abbrev', '--no-renames', base, head])).split('\n').filter((line) => line !== '');
    return Promise.all(raw.map((line) => this.#change(base, head, line)));
  }

  async #change(base: string, head: string, line: string): Promise<Change> {
    const [, before, after, letter, path] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) (\w)\t(.*)$/.exec(line) as unknown as [
      string,
      string,
      string,
      string,
      string,
    ];
    const diff = await this.text(['diff', '--no-renames', '--no-color', base, head, '--', path]);
    const start = diff.indexOf('\n@@');
    const patch = start < 0 ? '' : diff.slice(start + 1);
    const count = (sign: string) => patch.split('\n').filter((l) => l.startsWith(sign)).length;
    const status = letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified';
    return { path, status, sha: letter === 'D' ? before : after, additions: count('+'), deletions: count('-'), patch };
  }

  mergeBase(base: string, head: string): Promise<string> {
    return this.#once(`base ${base} ${head}`, () => this.text(['merge-base', base, head]));
  }
}

function signature(line: string): Signature {
  const [, name = '', email = '', at = '0'] = /^(.*?) ?<(.*)> (\d+)/.exec(line) ?? [];
  return { name, email, date: new Date(Number(at) * 1000).toISOString().replace('.000Z', 'Z') };
}
