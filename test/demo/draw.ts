import { type Colour, paint, printable, type Style } from '../../src/report/style.ts';
import type { Board, BoardStep } from './board.ts';
import type { VersionSample } from './events.ts';

const MARK = { next: '·', now: '▸', done: '✓', failed: '✗' } as const;
const COLOUR: Readonly<Record<BoardStep['state'], Colour>> = { next: 'dim', now: 'cyan', done: 'green', failed: 'red' };
/** Lines of a diff that are shown at once. */
const DIFF_LINES = 8;

/** The board as lines, none longer than the terminal is wide. */
export function draw(board: Board, now: number, width: number, style: Style): string[] {
  const rule = paint('─'.repeat(Math.min(width, 100)), 'dim', style);
  return [
    rule,
    ...board.steps.map((step) => stepLine(step, now, width, style)),
    '',
    weightLine(board, width, style),
    ...Object.entries(board.versions).map(([version, sample]) => versionLine(version, sample, width, style)),
    ...requestLines(board, width, style),
  ];
}

function stepLine({ state, label, since, until, note = '' }: BoardStep, now: number, width: number, style: Style): string {
  const took = since === undefined ? '' : `${(((until ?? now) - since) / 1000).toFixed(0)} s`;
  const head = `${MARK[state]} ${label.padEnd(20)} ${took.padStart(5)}  `;
  return paint(head, COLOUR[state], style) + paint(cut(note, width - head.length), state === 'failed' ? 'red' : 'dim', style);
}

/** ███████░░░ */
function weightLine({ weight, trial, steps }: Board, width: number, style: Style): string {
  const onTrial = weight > 0 || steps.some(({ state, id }) => state === 'now' && (id.startsWith('at-') || id === 'bad'));
  const size = Math.min(30, Math.max(5, width - 55));
  const filled = Math.round((weight * size) / 100);
  const bar = paint('█'.repeat(filled), 'cyan', style) + paint('░'.repeat(size - filled), 'green', style);
  const words = onTrial ? `canary ${trial} ${weight} %, stable ${100 - weight} %` : 'all to stable';
  return `weight   ${bar}  ${cut(words, width - 11 - size)}`;
}

function versionLine(version: string, sample: VersionSample, width: number, style: Style): string {
  const { ready, pods, perSecond, failedPerSecond, requests, failed } = sample;
  const dots = '●'.repeat(Math.min(ready, 20)) + '○'.repeat(Math.max(0, Math.min(pods, 20) - ready));
  const head = `${version.padEnd(8)} ${dots.padEnd(12)} ${String(perSecond).padStart(4)} requests/s  `;
  const errors = `${String(failedPerSecond).padStart(3)} errors/s  `;
  const totals = cut(`${requests} answered, ${failed} failed`, width - head.length - errors.length);
  return head + paint(errors, failedPerSecond > 0 ? 'red' : 'dim', style) + paint(totals, failed > 0 ? 'yellow' : 'dim', style);
}

function requestLines({ request }: Board, width: number, style: Style): string[] {
  if (request === undefined) return [];
  const { number, title, status, lines } = request;
  const more = lines.length > DIFF_LINES ? [paint(`  … ${lines.length - DIFF_LINES} more lines`, 'dim', style)] : [];
  return [
    '',
    paint(cut(`#${number} ${title}`, width), 'bold', style),
    paint(cut(`  serin/gates ${status}`, width), 'dim', style),
    ...lines.slice(0, DIFF_LINES).map((line) => diffLine(line, width, style)),
    ...more,
  ];
}

export function diffLine(line: string, width: number, style: Style): string {
  const text = cut(`  ${line}`, width);
  return line.startsWith('+') ? paint(text, 'green', style) : line.startsWith('-') ? paint(text, 'red', style) : paint(text, 'dim', style);
}

function cut(text: string, width: number): string {
  const line = printable(text.replace(/\s+/g, ' '));
  const flat = text.startsWith('  ') ? `  ${line.trimStart()}` : line;
  return flat.length <= width ? flat : `${flat.slice(0, Math.max(0, width - 1))}…`;
}
