import { parseArgs } from 'node:util';
import { SerinError } from '../errors.ts';
import { parseDuration, type Seconds } from '../units.ts';

export const COMMANDS = {
  tick: 'look, decide, act, report: once, within a time budget',
  plan: 'print what a tick would do; exit 0 nothing to do, 1 changes, above 1 an error',
  status: 'print where every release stands',
  watch: 'run the same tick again and again (--every 1m), one at a time, until it is told to stop',
} as const;
export type Command = keyof typeof COMMANDS;

export interface Arguments {
  readonly command: Command;
  /** Directory, repository or remote to read instead of GitHub. */
  readonly repo: string | undefined;
  /** owner/name on GitHub. */
  readonly github: string | undefined;
  readonly base: string;
  readonly output: 'text' | 'json';
  readonly budget: Seconds;
  readonly every: Seconds;
  readonly release: string | undefined;
  readonly cache: string | undefined;
}

const OPTIONS = {
  repo: { type: 'string' },
  github: { type: 'string' },
  base: { type: 'string' },
  output: { type: 'string', short: 'o' },
  budget: { type: 'string' },
  every: { type: 'string' },
  release: { type: 'string' },
  cache: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const HELP = `serin COMMAND [options]

${Object.entries(COMMANDS)
  .map(([name, text]) => `  ${name.padEnd(8)} ${text}`)
  .join('\n')}

  --repo WHERE      a directory, a Git repository or a remote; nothing is proposed from there
  --github NAME     owner/name on GitHub (default: GITHUB_REPOSITORY); the token comes from GITHUB_TOKEN
  --base BRANCH     the branch that is deployed (default: main)
  --release NAME    this release only
  --budget TIME     how long one tick may go on looking (default: 50s; 0s looks once)
  --every TIME      how often watch ticks, 1s or more (default: 1m)
  --cache FOLDER    where files and the last commit seen are kept between runs (default: SERIN_CACHE)
  -o json           one JSON document, or one event a line, instead of text
`;

/** @throws SerinError E_USAGE */
export function readArguments(argv: readonly string[], environment: Readonly<Record<string, string | undefined>>): Arguments | 'help' {
  const { values, positionals } = parse(argv);
  if (values.help || positionals.length === 0) return 'help';
  const [command, ...more] = positionals;
  if (command === undefined || !(command in COMMANDS)) throw usage(`there is no command ${command}`);
  if (more.length > 0) throw usage(`${more.join(' ')} is not expected after ${command}`);
  const output = values.output ?? 'text';
  if (output !== 'text' && output !== 'json') throw usage(`-o takes json or text, not ${output}`);
  return {
    command: command as Command,
    repo: values.repo,
    github: values.github ?? environment['GITHUB_REPOSITORY'],
    base: values.base ?? 'main',
    output,
    budget: time('--budget', values.budget ?? '50s'),
    every: time('--every', values.every ?? '1m'),
    release: values.release,
    cache: values.cache ?? environment['SERIN_CACHE'],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : String(cause));
  }
}

function time(option: string, text: string): Seconds {
  const value = parseDuration(text);
  if (value === undefined) throw usage(`${option} takes a duration such as 50s or 1m, not ${text}`);
  return value;
}

function usage(message: string): SerinError {
  return new SerinError('E_USAGE', message, { hint: 'serin --help lists commands and options', retry: 'never' });
}
