/** The house's rules as data. docs/explanation/architecture.md shows the same table to people; a test holds the two together. */

/** Folders of src that decide: the same input gives the same output, on every machine, at every hour. '.' is src itself. */
export const PURE = ['.', 'desired', 'versions', 'merge', 'rollout', 'routers', 'gates', 'plan', 'report'] as const;
/** Folders of src that look and act. */
export const SHELL = ['source', 'render', 'cluster', 'metrics', 'github', 'tick', 'cli'] as const;

export type Folder = (typeof PURE)[number] | (typeof SHELL)[number] | 'functions';

/** Who may import whom. Its own folder a file may always import; src itself (units, errors, objects, ports) may be imported by all. */
export const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
  '.': PURE,
  desired: PURE,
  versions: PURE,
  merge: PURE,
  rollout: PURE,
  routers: PURE,
  gates: PURE,
  plan: PURE,
  report: PURE,
  source: [...PURE, 'github'],
  render: PURE,
  cluster: PURE,
  metrics: PURE,
  github: PURE,
  tick: [...PURE, 'render'],
  cli: [...PURE, ...SHELL],
  functions: [...PURE, 'tick', 'cli'],
};

const ANYWHERE: readonly Folder[] = [...PURE, ...SHELL, 'functions'];

/** Which folders may import which package. A package that is not listed is imported by nobody; a trailing * stands for any ending. */
export const PACKAGES: Readonly<Record<string, readonly Folder[]>> = {
  valibot: ANYWHERE,
  'js-yaml': ANYWHERE,
  yaml: ANYWHERE,
  diff: ANYWHERE,
  '@noble/hashes*': ANYWHERE,
  '@marcbachmann/cel-js': ANYWHERE,
  '@kubernetes/client-node*': ['cluster'],
  undici: ['cluster', 'metrics'],
  '@octokit/*': ['github'],
  'node-cron': ['cli'],
  pino: ['tick', 'cli'],
};

/** What a pure folder may not name: the clock, chance, and all that reaches outside. */
export const IMPURE: readonly { readonly what: RegExp; readonly name: string }[] = [
  { what: /\bDate\s*\.\s*now\b/g, name: 'Date.now' },
  { what: /\bnew\s+Date\s*(\(\s*\)|(?![\w(\s]))/g, name: 'new Date() without a time' },
  { what: /(?<![.\w])(?<!new\s+)Date\s*\(/g, name: 'Date()' },
  { what: /\bMath\s*\.\s*random\b/g, name: 'Math.random' },
  ...[
    'process',
    'console',
    'fetch',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
    'performance',
    'crypto',
    'globalThis',
    'Buffer',
    'navigator',
  ].map((name) => ({ what: new RegExp(`(?<![.\\w'-])${name}\\s*(?:[.(\\[]|\\?\\.)`, 'g'), name })),
];

/** Names that say nothing about what a file is for. */
export const EMPTY_NAMES = /^(.*-)?(utils?|helpers?|managers?|misc|common)$/;
