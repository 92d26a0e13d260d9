import { duration, seconds } from '../../src/units.ts';
import type { PartEvent } from './parts.ts';

/** Where nobody watches, a line is enough this often. */
const PLAIN_EVERY_SECONDS = 30;

/** Shows the building of parts: one line that counts on a terminal, a line now and then elsewhere. */
export function partProgress(to: NodeJS.WriteStream): (event: PartEvent) => void {
  const told = new Set<string>();
  return (event) => {
    if (event.event === 'found') return;
    if (event.event === 'built') {
      to.write(`${to.isTTY ? '\r\x1b[K' : ''}built ${event.part} in ${event.seconds} s\n`);
      return;
    }
    if (to.isTTY) {
      to.write(`\r\x1b[K${building(event)}`);
      return;
    }
    const turn = `${event.part} ${Math.floor(event.seconds / PLAIN_EVERY_SECONDS)}`;
    if (told.has(turn)) return;
    told.add(turn);
    to.write(`${building(event)}\n`);
  };
}

function building({ part, seconds: so, likely, by }: Extract<PartEvent, { event: 'building' }>): string {
  const who = by === 'us' ? `building ${part}` : `another process is building ${part}`;
  return `${who}: ${so} s of about ${duration(seconds(likely))} (once; it stays in the cache)`;
}
