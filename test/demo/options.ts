import { parseArgs } from 'node:util';
import { SerinError } from '../../src/errors.ts';

/** The demo's numbers. */
export interface DemoOptions {
  /** Percent of each step; the last one has to be 100. */
  readonly steps: readonly number[];
  /** Requests per second. */
  readonly rate: number;
  /** Share of requests, 0 to 1, that the bad version fails. */
  readonly errorRate: number;
  readonly replicas: number;
  /** One JSON event a line instead of something to watch. */
  readonly json: boolean;
}

export const HELP = `npm run demo [-- options]

Shows a canary in a lab on this machine: a shop is installed, a new version walks from step to step as pull requests
are merged and is promoted, and a bad one is rolled back. Ends with exit code 0 when it happened, and 1 when it did not.

  --steps 10,50,100   percent of the traffic, step by step
  --rate 80           requests per second, at most 500
  --error-rate 0.3    share of requests that the bad version fails, 0 to 1
  --replicas 4        pods of the shop
  --json              one event a line
`;

/** @throws SerinError E_USAGE */
export function readOptions(argv: readonly string[]): DemoOptions | 'help' {
  const { values } = parse(argv);
  if (values.help) return 'help';
  return {
    steps: values.steps.split(',').map((text) => number('--steps', text, 1, 100, 'whole')),
    rate: number('--rate', values.rate, 1, 500),
    errorRate: number('--error-rate', values['error-rate'], 0, 1),
    replicas: number('--replicas', values.replicas, 1, 50, 'whole'),
    json: values.json,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        steps: { type: 'string', default: '10,50,100' },
        rate: { type: 'string', default: '80' },
        'error-rate': { type: 'string', default: '0.3' },
        replicas: { type: 'string', default: '4' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : String(cause));
  }
}

function number(option: string, text: string, least: number, most: number, whole?: 'whole'): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  throw usage(`${option} takes ${whole ? 'whole numbers' : 'a number'} from ${least} to ${most}, not ${text}`);
}

function usage(message: string): SerinError {
  return new SerinError('E_USAGE', message, { hint: 'npm run demo -- --help lists the options', retry: 'never' });
}
