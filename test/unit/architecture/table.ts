/** The house's rules as data. docs/explanation/architecture.md shows the same table to people; a test holds the two together. */

/**
 * Folders of src that decide: the same input gives the same output, on every machine, at every hour. '.' is src itself.
 * In the order in which they may lean on each other: a folder imports only what stands before it, so there are no circles.
 */
export const PURE = ['.', 'desired', 'merge', 'rollout', 'routers', 'versions', 'gates', 'plan', 'report'] as const;
/** Folders of src that look and act. */
export const SHELL = ['source', 'render', 'cluster', 'metrics', 'github', 'tick', 'cli'] as const;

export type Folder = (typeof PURE)[number] | (typeof SHELL)[number] | 'functions';

/**
 * Who may import whom. Its own folder a file may always import; src itself (units, errors, objects, ports) may be imported by all.
 * The one look back: ports, in src itself, name types of desired and merge.
 */
export const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
  '.': ['desired', 'merge'],
  desired: [],
  merge: [],
  rollout: ['desired'],
  routers: ['desired', 'rollout'],
  versions: ['desired', 'merge', 'rollout', 'routers'],
  gates: ['desired', 'rollout', 'versions'],
  plan: ['desired', 'merge', 'rollout', 'routers', 'versions', 'gates'],
  report: ['desired', 'merge', 'rollout', 'plan'],
  source: ['desired'],
  render: ['desired', 'versions'],
  cluster: ['desired', 'merge'],
  metrics: ['desired'],
  github: ['desired', 'source'],
  tick: [...PURE, 'render'],
  cli: [...PURE, ...SHELL],
  functions: ['report', 'tick', 'cli'],
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
