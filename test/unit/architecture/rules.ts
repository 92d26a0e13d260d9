import { posix } from 'node:path';
import { type Scanned, scan } from './scan.ts';
import { EMPTY_NAMES, type Folder, IMPURE, MAY_IMPORT, PACKAGES, PURE } from './table.ts';

/** One file of the repository, its path from the root with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** path:line: what is wrong there, and what the rule is. */
export type Violation = string;

interface Look extends Scanned {
  readonly path: string;
  /** Undefined for files outside src and functions (test, infra): only the rules for every file hold there. */
  readonly folder: Folder | undefined;
  readonly say: (line: number, what: string) => Violation;
}

const isFolder = (name: string): name is Folder => Object.hasOwn(MAY_IMPORT, name);
const isPure = (folder: Folder) => (PURE as readonly Folder[]).includes(folder);

/** The folder that the rules are about: src/gates/compare/judge.ts is in gates, src/units.ts in '.'. */
export function folderOf(path: string): string | undefined {
  const [top, second, third] = path.split('/');
  if (top === 'functions') return 'functions';
  if (top !== 'src' || second === undefined) return undefined;
  return third === undefined ? '.' : second;
}

/** All that a file does against the house's rules. */
export function violations({ path, text }: SourceFile): readonly Violation[] {
  const name = folderOf(path);
  if (name !== undefined && !isFolder(name))
    return [`${path}:1: the folder ${name} is not in the table of test/unit/architecture/table.ts`];
  const look: Look = { ...scan(text), path, folder: name, say: (line, what) => `${path}:${line}: ${what}` };
  return [imports, globals, denoGlobal, watches, names, decisions]
    .flatMap((rule) => rule(look))
    .concat(path === 'src/ports.ts' ? typesOnly(text) : []);
}

function imports({ path, folder, imports: found, say }: Look): Violation[] {
  if (folder === undefined) return [];
  return found.flatMap(({ specifier, line }) => {
    if (specifier === undefined) return [say(line, 'an import whose name is computed: nobody can check it')];
    const why = specifier.startsWith('.') ? refusedPath(path, folder, specifier) : refusedPackage(folder, specifier);
    return why === undefined ? [] : [say(line, `imports ${specifier}: ${why}`)];
  });
}

function refusedPath(path: string, folder: Folder, specifier: string): string | undefined {
  const target = folderOf(posix.join(posix.dirname(path), specifier));
  if (target === undefined || !isFolder(target)) return `${folder} may import only src`;
  if (target === folder || target === '.' || MAY_IMPORT[folder].includes(target)) return undefined;
  return `${folder} may not import ${target}`;
}

function refusedPackage(folder: Folder, specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return isPure(folder) ? `${folder} is pure and knows no Node.js` : undefined;
  const row = Object.entries(PACKAGES).find(([name]) =>
    name.endsWith('*') ? specifier.startsWith(name.slice(0, -1)) : specifier === name,
  );
  if (row === undefined) return 'a package that the table does not list';
  return row[1].includes(folder) ? undefined : `only ${row[1].join(' and ')} may import it`;
}

function every(code: string, what: RegExp, then: (line: number, text: string) => Violation): Violation[] {
  return [...code.matchAll(what)].map((found) => then(code.slice(0, found.index).split('\n').length, found[0].trim()));
}

function globals({ folder, code, say }: Look): Violation[] {
  if (folder === undefined || !isPure(folder)) return [];
  return IMPURE.flatMap(({ what, name }) => every(code, what, (line) => say(line, `uses ${name}: ${folder} is pure; hand the value in`)));
}

function denoGlobal({ code, say }: Look): Violation[] {
  return every(code, /(?<![.\w])Deno\b/g, (line) => say(line, 'uses Deno: serin runs on Node.js'));
}

/** Kubernetes watches hold a connection open, so something would have to stay alive: a tick lists, and ends. */
function watches({ folder, code, literals, say }: Look): Violation[] {
  if (folder === undefined) return [];
  const rule = 'a resident watch: a tick lists, and ends';
  return [
    ...every(code, /\bwatch\s*:\s*true\b|\bnew\s+Watch\b|\bimport\b[^;]*\bWatch\b|\b(?:make)?Informer\b|\bListWatch\b/g, (line) =>
      say(line, rule),
    ),
    ...literals.filter(({ value }) => /[?&]watch=(true|1)\b/.test(value)).map(({ line }) => say(line, rule)),
  ];
}

function names({ path, say }: Look): Violation[] {
  const empty = path.split('/').filter((part) => EMPTY_NAMES.test(part.replace(/(\.test)?\.[a-z]+$/, '')));
  return empty.map((part) => say(1, `is called ${part}: a name says what the file is for`));
}

/** src/tick looks and acts; what it does with a weight or a verdict is decided in a pure folder, where a table of tests can hold it. */
function decisions({ folder, code, literals, say }: Look): Violation[] {
  if (folder !== 'tick') return [];
  const subject = String.raw`\b(?:\w*[wW]eight|\w*[vV]erdict|readyReplicas|failed[A-Z]\w*)\b`;
  const compare = String.raw`\s*(?:[<>]=?|[=!]==?)(?![<>=])\s*`;
  const either = new RegExp(`${subject}${compare}(?=\\s*[\\w'"(])|(?<=[\\w)'"])${compare}(?:\\w+(?:\\?)?\\.)*${subject}(?!\\s*\\()`, 'g');
  const rule = 'src/tick decides nothing; ask a pure folder';
  return [
    ...every(code, either, (line, text) => say(line, `compares (${text}): ${rule}`)),
    ...every(code, /\bjudge\w*\s*\(/g, (line) => say(line, `judges a gate: ${rule}`)),
    ...literals
      .filter(({ value }) => value === 'pass' || value === 'fail')
      .map(({ line, value }) => say(line, `names the verdict '${value}': ${rule}`)),
  ];
}

/** Ports are promises: every line that starts a statement starts a type. */
function typesOnly(text: string): Violation[] {
  const starts = scan(text)
    .code.split('\n')
    .map((line, index) => ({ line, number: index + 1 }));
  const allowed = /^(?:import type |(?:export )?(?:type|interface) |[\s}|]|$)/;
  return starts.filter(({ line }) => !allowed.test(line)).map(({ number }) => `src/ports.ts:${number}: holds code: ports are types only`);
}
