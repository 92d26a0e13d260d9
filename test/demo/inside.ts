/** The demo from within the lab: GitHub, the ticks, a person who merges, the load, and the story that they tell. */
import { InputError } from '../../src/errors.ts';
import { errorText } from '../../src/report/error.ts';
import { emptyBoard, next } from './board.ts';
import { Stopped } from './happenings.ts';
import type { InsideOrder } from './order.ts';
import { perform } from './stage.ts';
import { jsonView, liveView, plainView, type View } from './views.ts';

/** Exit codes as a shell gives them: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

process.exitCode = await main(JSON.parse(process.argv[2] ?? '') as InsideOrder);

async function main(order: InsideOrder): Promise<number> {
  const view = viewOf(order);
  const stop = new AbortController();
  let interrupted = 0;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      interrupted = code;
      stop.abort(new Stopped(`stopped by ${signal}`));
    });
  }
  try {
    return (await perform(order, view.tell, stop)) ? 0 : interrupted || 1;
  } catch (error) {
    view.close();
    if (interrupted) return interrupted;
    process.stderr.write(`${errorText(error, { colour: process.stderr.isTTY === true })}\n`);
    return error instanceof InputError ? 2 : 1;
  } finally {
    view.close();
  }
}

function viewOf({ options, started, ready }: InsideOrder): View {
  const style = { colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined };
  if (options.json) return jsonView(process.stdout);
  if (!process.stdout.isTTY) return plainView(process.stdout, started, style);
  const at = (moment: number) => new Date(moment).toISOString();
  const begun = next(emptyBoard(options.steps, started), {
    time: at(started),
    event: 'started',
    steps: [],
    toBuild: [],
    buildSeconds: 0,
    seconds: 0,
  });
  return liveView(process.stdout, next(begun, { time: at(ready), event: 'lab-ready', seconds: 0 }), style);
}
