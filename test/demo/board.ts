import type { PartEvent } from '../lab/parts.ts';
import type { DemoEvent, VersionSample } from './events.ts';
import { VERSIONS } from './shop.ts';

/** One step of the story as people follow it. Moments are milliseconds since 1970. */
export interface BoardStep {
  readonly id: string;
  readonly label: string;
  readonly state: 'next' | 'now' | 'done' | 'failed';
  readonly since?: number;
  readonly until?: number;
  /** What it waits for, or how it ended. */
  readonly note?: string;
}

export interface Board {
  readonly started: number;
  readonly steps: readonly BoardStep[];
  readonly weight: number;
  readonly versions: Readonly<Record<string, VersionSample>>;
  /** The open pull request, with the lines it changes. */
  readonly request?:
    | { readonly number: number; readonly title: string; readonly lines: readonly string[]; readonly status: string }
    | undefined;
  /** What each request is for, by number. */
  readonly kinds: Readonly<Record<number, string>>;
  /** The version on trial. */
  readonly trial: string;
}

export function emptyBoard(weights: readonly number[], started: number): Board {
  const step = (id: string, label: string): BoardStep => ({ id, label, state: 'next' });
  const { first, good, bad } = VERSIONS;
  const steps = [
    step('lab', 'lab up'),
    step('install', `shop ${first} installed`),
    step('record', 'recorded in Git'),
    step('metrics', 'Prometheus answers'),
    ...weights.map((weight) => step(`at-${weight}`, `${good} at ${weight} %`)),
    step('promote', `${good} promoted`),
    step('bad', `${bad} found out`),
    step('back', 'traffic back'),
    step('restore', 'roll-back merged'),
  ];
  return { started, steps, weight: 0, versions: {}, kinds: {}, trial: first };
}

/** The board after an event. What it does not know changes nothing. */
export function next(board: Board, event: DemoEvent): Board {
  const at = Date.parse(event.time);
  switch (event.event) {
    case 'started':
      return begin(board, 'lab', at);
    case 'lab-ready':
      return begin(finish(board, 'lab', at), 'install', at);
    case 'installed':
      return begin(finish(board, 'install', at), 'record', at);
    case 'committed': {
      const trial = { ...board, trial: event.version };
      return event.version === VERSIONS.good
        ? begin(trial, firstWeight(board), at)
        : event.version === VERSIONS.bad
          ? begin(trial, 'bad', at)
          : trial;
    }
    case 'waiting':
    case 'decided':
      return note(board, event.because);
    case 'entered':
      return note(board, `entered: ${event.because}`);
    case 'prometheus-ready':
      return finish(board, 'metrics', at);
    case 'promoted':
      return finish(board, 'promote', at);
    case 'held':
    case 'withdrawn':
      return board.trial === VERSIONS.bad ? begin(finish(board, 'bad', at, event.because), 'back', at) : fail(board, event.because);
    case 'traffic':
      return sampled({ ...board, weight: event.weight, versions: event.versions }, at);
    case 'pull-request-opened':
      return {
        ...board,
        kinds: { ...board.kinds, [event.number]: event.kind },
        request: { number: event.number, title: event.title, lines: [], status: 'not told yet' },
      };
    case 'pull-request-diff':
      return board.request?.number === event.number ? { ...board, request: { ...board.request, lines: event.lines } } : board;
    case 'status':
      return board.request === undefined
        ? board
        : { ...board, request: { ...board.request, status: `${event.state}: ${event.description}` } };
    case 'pull-request-closed':
      return board.request?.number === event.number ? { ...board, request: undefined } : board;
    case 'pull-request-merged':
      return merged({ ...board, request: undefined }, board.kinds[event.number], at);
    case 'part':
      return event.part.event === 'building' ? note(board, building(event.part)) : board;
    case 'failed':
      return note(board, event.message);
    case 'summary':
      return event.ok ? board : fail(board, event.missing.join('; '));
    default:
      return board;
  }
}

export function building({ part, seconds, likely }: Extract<PartEvent, { event: 'building' }>): string {
  return `${part} is still being built: ${seconds} s of about ${likely} s`;
}

function merged(board: Board, kind: string | undefined, at: number): Board {
  if (kind === 'record') return begin(finish(board, 'record', at), 'metrics', at);
  if (kind === 'rollback') return finish(finish(board, 'back', at), 'restore', at);
  const current = board.steps.findIndex((step) => step.state === 'now' && step.id.startsWith('at-'));
  const step = board.steps[current];
  if (step === undefined) return board;
  const following = board.steps[current + 1];
  return following === undefined ? finish(board, step.id, at) : begin(finish(board, step.id, at), following.id, at);
}

/** The bad version's traffic has left once its route says so. */
function sampled(board: Board, at: number): Board {
  const back = board.steps.find((step) => step.id === 'back');
  return back?.state === 'now' && board.weight === 0 ? begin(finish(board, 'back', at), 'restore', at) : board;
}

function firstWeight({ steps }: Board): string {
  return steps.find((step) => step.id.startsWith('at-'))?.id ?? '';
}

function begin(board: Board, id: string, at: number): Board {
  return change(board, id, (step) => (step.state === 'next' ? { ...step, state: 'now', since: at } : step));
}

function finish(board: Board, id: string, at: number, note?: string): Board {
  return change(board, id, (step) => {
    if (step.state === 'done') return step;
    const { note: _, ...rest } = step;
    return { ...rest, state: 'done', since: step.since ?? at, until: at, ...(note === undefined ? {} : { note }) };
  });
}

function fail(board: Board, why: string): Board {
  const current = board.steps.find((step) => step.state === 'now');
  return current === undefined ? board : change(board, current.id, (step) => ({ ...step, state: 'failed', note: why }));
}

function note(board: Board, text: string): Board {
  const current = board.steps.find((step) => step.state === 'now');
  return current === undefined ? board : change(board, current.id, (step) => ({ ...step, note: text }));
}

function change(board: Board, id: string, to: (step: BoardStep) => BoardStep): Board {
  return { ...board, steps: board.steps.map((step) => (step.id === id ? to(step) : step)) };
}
