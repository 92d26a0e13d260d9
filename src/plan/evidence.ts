import { differences } from '../merge/difference.ts';
import { keyOf, refOf, title } from '../objects.ts';
import type { Version } from '../rollout/types.ts';
import type { Percent } from '../units.ts';
import type { ReleaseLook } from './look.ts';
import type { ClusterState } from './state.ts';
import type { Evidence } from './types.ts';

/** How many changed lines a request shows; the whole diff is in Git. */
const LINES = 20;

/** What a person needs to judge a request, from this very look. */
export function evidenceOf(
  look: ReleaseLook,
  states: readonly ClusterState[],
  because: string,
  candidate: Version | undefined,
  next: { wave: string; weight: Percent } | undefined,
): Evidence {
  const stable = look.rollout?.stable ?? states[0]?.record.stable;
  const weight = states[0]?.situation.observed.weight;
  return {
    because,
    ...(stable === undefined ? {} : { stable: { revision: stable.revision, commit: stable.commit } }),
    ...(candidate === undefined ? {} : { candidate: { revision: candidate.revision, commit: candidate.commit } }),
    wave: next?.wave ?? look.rollout?.canary?.wave ?? look.release.waves[0]?.name ?? '',
    ...(weight === undefined || candidate === undefined ? {} : { weight }),
    ...(next === undefined ? {} : { nextWeight: next.weight }),
    readings: states.flatMap((s) => s.situation.readings),
    observed: candidate === undefined ? {} : Object.fromEntries(states.map((s) => [s.cluster, s.situation.observed])),
    steps: candidate === undefined ? [] : stepsOf(look, weight ?? 0),
    changes: candidate === undefined ? [] : changesOf(look, candidate),
  };
}

function stepsOf({ release: { canary } }: ReleaseLook, weight: number): Evidence['steps'] {
  return (canary?.steps ?? []).map(({ weight: at, hold }) => ({
    weight: at,
    hold,
    state: at < weight ? 'done' : at === weight ? 'now' : 'next',
  }));
}

function changesOf(look: ReleaseLook, candidate: Version): Evidence['changes'] {
  const before = look.rollout && look.sets.get(look.rollout.stable.commit);
  const after = look.sets.get(candidate.commit);
  if (!before || !after) return [];
  const old = new Map(before.objects.map((o) => [keyOf(refOf(o)), o]));
  const schemaOf = look.clusters[0]?.schemaOf;
  return after.objects
    .flatMap((object) => {
      const from = old.get(keyOf(refOf(object)));
      if (!from) return [{ object: title(refOf(object)), path: '', from: undefined, to: 'new' }];
      return differences(from, object, schemaOf?.(object)).map(({ path, live, desired }) => ({
        object: title(refOf(object)),
        path,
        from: live,
        to: desired,
      }));
    })
    .slice(0, LINES);
}
