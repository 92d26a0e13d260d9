import type { Style } from '../../src/report/style.ts';
import { type Board, building, next } from './board.ts';
import { draw } from './draw.ts';
import type { Tell } from './events.ts';
import { linesOf } from './lines.ts';

/** Something that shows events. `close` leaves the terminal as it was. */
export interface View {
  readonly tell: Tell;
  close(): void;
}

export function jsonView(to: NodeJS.WriteStream): View {
  return { tell: (event) => void to.write(`${JSON.stringify(event)}\n`), close: () => undefined };
}

/** Where nobody watches, what a step waits for is said this often, and how far a build is. */
const WAITS_EVERY_MS = 5000;
const BUILDS_EVERY_SECONDS = 30;

/** A line for what matters, and now and then what is waited for. */
export function plainView(to: NodeJS.WriteStream, started: number, style: Style): View {
  let said = { for: '', at: 0 };
  return {
    tell: (event) => {
      for (const line of linesOf(event, started, style)) to.write(`${line}\n`);
      if (event.event === 'part' && event.part.event === 'building' && event.part.seconds % BUILDS_EVERY_SECONDS === 0) {
        to.write(`${' '.repeat(10)}${building(event.part)}\n`);
      }
      const at = Date.parse(event.time);
      if (event.event !== 'waiting' || (event.for === said.for && at - said.at < WAITS_EVERY_MS)) return;
      said = { for: event.for, at };
      to.write(`${' '.repeat(10)}waits for ${event.for}: ${event.because}\n`);
    },
    close: () => undefined,
  };
}

const REDRAW_MS = 200;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/** What has happened scrolls by above; the board stays below it. */
export function liveView(to: NodeJS.WriteStream, first: Board, style: Style): View {
  let board = first;
  let height = 0;
  let over = false;
  const wipe = () => (height === 0 ? '' : `\u001b[${height}A\u001b[J`);
  const put = (above: readonly string[]) => {
    const room = Math.max(4, (to.rows ?? 40) - 1);
    const lines = over ? [] : draw(board, Date.now(), (to.columns ?? 100) - 1, style).slice(0, room);
    const text = [...above, ...lines].map((line) => `${line}\n`).join('');
    // Written at once, so that no half-drawn picture is seen.
    to.write(`${wipe()}${text}`);
    height = lines.length;
  };
  const end = () => {
    clearInterval(redraw);
    if (over) return;
    put([]);
    over = true;
    height = 0;
    to.write(SHOW_CURSOR);
  };
  to.write(HIDE_CURSOR);
  const redraw = setInterval(() => put([]), REDRAW_MS);
  return {
    tell: (event) => {
      board = next(board, event);
      // The last picture stays, and the last word comes below it.
      if (event.event === 'summary') end();
      put(linesOf(event, board.started, style));
    },
    close: end,
  };
}
