import { type Instant, iso, type Percent } from '../units.ts';
import { parseRollout } from './rollout.ts';
import { addEntry, type Fields, removeBlock, scalar, setBlock, setField } from './text-edit.ts';
import type { Held, Rollout } from './types.ts';

/*
 * Edits of rollout.yaml as text: what is not meant stays as it was, byte for byte, so that a pull request shows the one thing that it changes.
 * Every text given must be one that parseRollout reads, and so is every text returned.
 */

type Stable = Rollout['stable'];
type Canary = NonNullable<Rollout['canary']>;

const TOP = '# Written by serin through pull requests: which revision is stable, and how far the canary may go.';

/** The whole first text: nothing has been rolled out yet, stable is what runs. */
export function newRollout(release: { readonly name: string }, stable: Stable): string {
  const head = `${TOP}\napiVersion: serin.dev/v1alpha1\nkind: Rollout\nmetadata:\n  name: ${scalar(release.name)}\n`;
  return setBlock(head, 'stable', stableFields(stable), 'metadata');
}

/** With this canary: a new block behind stable, or the fields of the block that is there. A reason to skip gates belongs to one canary, and goes with it. */
export function withCanary(text: string, canary: Canary): string {
  const without = canary.skipGates === undefined ? setField(text, ['canary', 'skipGates'], undefined) : text;
  return setBlock(without, 'canary', canaryFields(canary), 'stable');
}

/** Lets the canary go as far as this: one line changes, and no other. The text must have a canary. */
export function withWeight(text: string, weight: Percent): string {
  return setField(text, ['canary', 'weight'], weight);
}

/** The canary has become stable. */
export function promoted(text: string, stable: Stable): string {
  return setBlock(removeBlock(text, 'canary'), 'stable', stableFields(stable), 'metadata');
}

/** This revision must not start again by itself. Its canary block goes, and so does a retry of it, which would lift the hold at once. */
export function withHeld(text: string, held: Held): string {
  const now = parseRollout('rollout.yaml', text);
  const ended = now.canary?.revision === held.revision ? removeBlock(text, 'canary') : text;
  const bound = now.retry === held.revision ? removeBlock(ended, 'retry') : ended;
  const already = now.held.some(({ revision }) => revision === held.revision) && now.retry !== held.revision;
  return already ? bound : addEntry(bound, 'held', heldFields(held));
}

/** The retry has been heard. */
export function withoutRetry(text: string): string {
  return removeBlock(text, 'retry');
}

const stableFields = ({ revision, commit }: Stable): Fields => ({ revision, commit });

function canaryFields({ revision, commit, wave, weight, skipGates }: Canary): Fields {
  return { revision, commit, wave, weight, ...(skipGates === undefined ? {} : { skipGates }) };
}

function heldFields({ revision, reason, at }: { revision: string; reason: string; at: Instant }): Fields {
  return { revision, reason, at: iso(at) };
}
