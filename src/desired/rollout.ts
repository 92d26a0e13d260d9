import * as v from 'valibot';
import { readOne } from './reading.ts';
import { commit, envelope, fields, label, list, revision, text, time, weight } from './shape.ts';
import type { Rollout } from './types.ts';

const rolloutFile = envelope('Rollout', 'the name of the release', {
  stable: fields('stable', { revision, commit }),
  canary: v.exactOptional(
    fields('canary', {
      revision,
      commit,
      wave: label('the name of a wave'),
      weight,
      skipGates: v.exactOptional(text('a reason, in words')),
    }),
  ),
  held: v.optional(list(fields('held', { revision, reason: text('a reason, in words'), at: time }), 'a list of held revisions'), []),
  retry: v.exactOptional(revision),
});

/**
 * rollout.yaml: the story so far, as merged.
 * @throws InputError with all its mistakes; where a merge left conflict markers the first of them is named
 */
export function parseRollout(file: string, text: string): Rollout {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rollout } = readOne(file, text, rolloutFile);
  return rollout;
}
