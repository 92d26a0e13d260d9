import { unreachable } from '../errors.ts';
import type { TickEvent } from './events.ts';
import { type Colour, count, inline, paint, printable, type Style } from './style.ts';

/** An event as one plain line: time, release and cluster, what happened. */
export function eventLine(event: TickEvent, style: Style): string {
  const [text, colour] = sentence(event);
  const where = ['release', 'cluster'].flatMap((field) => (field in event ? [String(event[field as keyof TickEvent])] : [])).join(' ');
  const line = printable(`${where === '' ? '' : `${where}: `}${text}`).replace(/\s*\n\s*/g, ' ');
  return `${paint(event.time, 'dim', style)} ${colour === undefined ? line : paint(line, colour, style)}`;
}

function sentence(event: TickEvent): [string, Colour?] {
  switch (event.event) {
    case 'looked':
      return [`looked at ${event.commit.slice(0, 8)}, ${count(event.releases, 'release')}`, 'dim'];
    case 'decided':
      return [`${event.to}: ${event.because}`];
    case 'waiting':
      return [`waits for ${event.for}: ${event.because}`, 'dim'];
    case 'created':
      return [`created ${event.object}`];
    case 'patched':
      return [`patched ${event.object}${event.paths.length === 0 ? '' : `: ${event.paths.join(', ')}`}`];
    case 'drift-repaired':
      return [`repaired ${event.object}: ${event.differences.map(drift).join('; ')}`, 'yellow'];
    case 'deleted':
      return [`deleted ${event.object}: ${event.because}`];
    case 'installed':
      return [`installed ${event.revision}`, 'green'];
    case 'weight':
      return [`weight ${event.from} % -> ${event.to} %: ${event.because}`, 'cyan'];
    case 'entered':
      return [`entered ${event.weight} %: ${event.because}`, 'cyan'];
    case 'held':
    case 'withdrawn':
      return [`${event.event} ${event.revision}: ${event.because}`, 'red'];
    case 'promoted':
      return [`promoted ${event.revision}`, 'green'];
    case 'pull-request-opened':
      return [`opened #${event.number} ${event.title} ${event.url}`, 'blue'];
    case 'pull-request-closed':
      return [`closed #${event.number}: ${event.because}`, 'blue'];
    case 'pull-request-merged':
      return [`merged #${event.number}: ${event.because}`, 'blue'];
    case 'status':
      return [`status of ${event.commit.slice(0, 8)} is ${event.state}: ${event.description}`];
    case 'failed':
      return [`${event.code}: ${event.message} (${event.hint})`, 'red'];
    default:
      return unreachable(event);
  }
}

function drift({ path, live, desired, manager }: Extract<TickEvent, { event: 'drift-repaired' }>['differences'][number]): string {
  return `${path} ${inline(live)} -> ${inline(desired)}${manager === undefined ? '' : ` (by ${manager})`}`;
}
