import { InputError } from '../errors.ts';
import { parseFleet } from './fleet.ts';
import { parseGate } from './gate.ts';
import { folderOf, glob, join } from './glob.ts';
import { positionOf } from './position.ts';
import { attempt, gather, type Reading } from './reading.ts';
import { nameIn, readRelease } from './release.ts';
import { parseRollout } from './rollout.ts';
import type { Files, Fleet, Gate, Release, Rollout } from './types.ts';
import { parseDocuments } from './yaml.ts';

/** One release with what Git says of its roll-out. */
export interface ReleaseReading {
  readonly release: Release;
  /** Undefined when there is no rollout.yaml, or when it cannot be read. */
  readonly rollout: Rollout | undefined;
  readonly rolloutText: string | undefined;
  readonly rolloutFile: string;
  /** An unreadable rollout.yaml is no reason to stop: increases stop, aborts go on. */
  readonly rolloutMistake: InputError | undefined;
}

export interface RepositoryReading {
  readonly fleet: Fleet;
  readonly releases: readonly ReleaseReading[];
}

/** Where the fleet is described, from the repository's root. */
export const FLEET_FILE = 'serin.yaml';
const GATE_FILES = glob('gates/*.yaml');
const RELEASE_FILES = 'releases/*/release.yaml';

/**
 * All that the repository wants, at one commit.
 * @param files all text files of the repository
 * @throws InputError with every mistake of every file, rollout.yaml files excepted
 */
export function readRepository(files: Files, options: { readonly fleetFile?: string } = {}): RepositoryReading {
  const fleetFile = options.fleetFile ?? FLEET_FILE;
  const fleet = attempt(() => readFleet(fleetFile, files.get(fleetFile)));
  const known = 'value' in fleet ? fleet.value : undefined;
  const gates = readGates(files);
  const isRelease = glob(known?.releases ?? RELEASE_FILES);
  const around = {
    gates: gates.byName,
    unreadGates: gates.unread,
    clusters: known && Object.keys(known.clusters),
    adopt: known?.defaults.adopt ?? 'if-unowned',
  };
  const releases = [...files].filter(([file]) => isRelease.test(file)).sort(byPath);
  const readings = releases.map(([file, text]) => attempt(() => readRelease(file, text, around)));
  gather<unknown>([fleet, ...gates.readings, ...readings, ...namedTwice(releases, 'releases')]);
  const [value] = gather([fleet]);
  return { fleet: value as Fleet, releases: gather(readings).map((release) => withRollout(release, files)) };
}

type Entry = readonly [file: string, text: string];
const byPath = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : a > b ? 1 : 0);

function readFleet(file: string, text: string | undefined): Fleet {
  if (text !== undefined) return parseFleet(file, text);
  throw new InputError([{ file, line: 1, column: 1, expected: "a file of kind Fleet at the repository's root", found: 'no such file' }]);
}

function readGates(files: Files): { readings: readonly Reading<unknown>[]; byName: ReadonlyMap<string, Gate>; unread: readonly string[] } {
  const entries = [...files].filter(([file]) => GATE_FILES.test(file)).sort(byPath);
  const readings = entries.map(([file, text]) => attempt(() => parseGate(file, text)));
  const unread = entries.filter((_, index) => 'mistake' in (readings[index] ?? {})).flatMap(([file, text]) => namesIn(file, text));
  const byName = new Map(readings.flatMap((reading) => ('value' in reading ? [[reading.value.name, reading.value] as const] : [])));
  return { readings: [...readings, ...namedTwice(entries, 'gates')], byName, unread };
}

/** The name a file gives itself, even when the rest of it is wrong. */
function namesIn(file: string, text: string): string[] {
  const reading = attempt(() => parseDocuments(file, text));
  const name = 'value' in reading ? nameIn(reading.value[0]) : undefined;
  return name === undefined ? [] : [name];
}

/** Names are what labels, branches and records are found by, so each is there once in the whole fleet. */
function namedTwice(entries: readonly Entry[], what: string): Reading<never>[] {
  const first = new Map<string, string>();
  const readings: Reading<never>[] = [];
  for (const [file, text] of entries) {
    for (const name of namesIn(file, text)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, file);
      else {
        const { line, column } = positionOf(text, 0, ['metadata', 'name']);
        readings.push({
          mistake: new InputError([
            { file, line, column, expected: `a name of its own among the ${what}`, found: `${name}, as in ${other}` },
          ]),
        });
      }
    }
  }
  return readings;
}

function withRollout(release: Release, files: Files): ReleaseReading {
  const rolloutFile = join(folderOf(release.file), 'rollout.yaml');
  const rolloutText = files.get(rolloutFile);
  const reading = rolloutText === undefined ? undefined : attempt(() => storyOf(release, rolloutFile, rolloutText));
  return {
    release,
    rollout: reading !== undefined && 'value' in reading ? reading.value : undefined,
    rolloutText,
    rolloutFile,
    rolloutMistake: reading !== undefined && 'mistake' in reading ? reading.mistake : undefined,
  };
}

/** A folder that was copied brings the story of another release with it: that one is nothing to go by. */
function storyOf(release: Release, file: string, text: string): Rollout {
  const rollout = parseRollout(file, text);
  const [name] = namesIn(file, text);
  if (name === release.name) return rollout;
  const { line, column } = positionOf(text, 0, ['metadata', 'name']);
  throw new InputError([{ file, line, column, expected: `${release.name}, the name of the release beside it`, found: String(name) }]);
}
