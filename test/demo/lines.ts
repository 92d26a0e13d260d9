import { eventLine } from '../../src/report/event-line.ts';
import { type Colour, count, paint, type Style } from '../../src/report/style.ts';
import { duration, seconds } from '../../src/units.ts';
import { diffLine } from './draw.ts';
import type { DemoEvent, Summary } from './events.ts';

/** An event as lines for people, after the seconds since the start; none for what is only for the picture. */
export function linesOf(event: DemoEvent, started: number, style: Style): string[] {
  const at = paint(`${((Date.parse(event.time) - started) / 1000).toFixed(1).padStart(6)} s `, 'dim', style);
  const say = (text: string, colour?: Colour): string[] => [`${at} ${colour === undefined ? text : paint(text, colour, style)}`];
  switch (event.event) {
    case 'started':
      return intro(event);
    case 'lab-ready':
      return say(`the lab is up after ${event.seconds.toFixed(1)} s`, 'green');
    case 'prometheus-ready':
      return say('Prometheus answers');
    case 'load-started':
      return say(`load: ${count(event.perSecond, 'request')} a second to the shop`);
    case 'committed':
      return say(`committed ${event.commit.slice(0, 8)}: ${event.message}`, 'bold');
    case 'pull-request-diff':
      return [
        ...say(`proposed #${event.number} ${event.title}`, 'blue'),
        ...event.lines.map((line) => `         ${diffLine(line, 100, style)}`),
      ];
    case 'pull-request-merged':
      return say(`${event.by} merged #${event.number} ${event.title}`, 'blue');
    case 'summary':
      return ['', ...summaryLines(event, style)];
    case 'part':
      return event.part.event === 'built' ? say(`built ${event.part.part} in ${event.part.seconds} s`) : [];
    case 'traffic':
    case 'pull-request-opened':
    case 'rollback-proposed':
    case 'looked':
    case 'created':
    case 'patched':
    case 'deleted':
    case 'waiting':
    case 'decided':
      return [];
    default:
      return [`${at} ${eventLine(event, style).replace(/^\S+ /, '')}`];
  }
}

/** Said in the first second: what will happen and how long that takes. */
function intro({ toBuild, buildSeconds, seconds: so, steps }: Extract<DemoEvent, { event: 'started' }>): string[] {
  const build =
    toBuild.length === 0
      ? []
      : [
          `What the lab needs and this machine has not is built from Go modules: ${toBuild.join(', ')}. About ${duration(seconds(buildSeconds))}, once; it stays in the cache.`,
        ];
  return [
    'serin demo: a Kubernetes control plane on this machine, a shop in it, and load on the shop.',
    `A new version walks ${steps.map((weight) => `${weight} %`).join(' -> ')} as its pull requests are merged, and is promoted; then a bad one is rolled back.`,
    ...build,
    `About ${duration(seconds(so))} once the parts are there. Ctrl-C ends it and leaves nothing behind.`,
    '',
  ];
}

export function summaryLines(
  { ok, missing, requests, goodVersion, badVersion, podsAtPeak, seconds: took }: Summary,
  style: Style,
): string[] {
  const verdict = ok ? paint('It happened as told', 'green', style) : paint('It did not happen as told', 'red', style);
  return [
    ...missing.map((what) => paint(`missing: ${what}`, 'red', style)),
    `${verdict}: ${count(requests.sent, 'request')} sent, ${requests.failed} failed (${goodVersion.failed} of ${goodVersion.sent} before the bad version, ` +
      `${badVersion.failed} of ${badVersion.sent} from then on), ${count(podsAtPeak, 'pod')} at the peak, ${took} seconds.`,
  ];
}
