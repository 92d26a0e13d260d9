import type { Adoption } from '../desired/types.ts';
import { forCreation, readLastApplied } from '../merge/last-applied.ts';
import { threeWay } from '../merge/three-way.ts';
import type { Difference } from '../merge/types.ts';
import { at, type KubeObject, keyOf, type ObjectKey, refOf, SERIN, title } from '../objects.ts';
import type { Percent } from '../units.ts';
import { type Composed, rank } from '../versions/compose.ts';
import type { ClusterLook } from './look.ts';
import { refusal } from './ownership.ts';
import type { Cause, PlanStep } from './types.ts';

export interface Writes {
  readonly steps: readonly PlanStep[];
  readonly notes: readonly string[];
}

/** Creations and patches that bring the cluster to the composed set, in the order of creation. */
export function writesFor(look: ClusterLook, composed: readonly Composed[], applySet: string, adopt: Adoption): Writes {
  const steps: PlanStep[] = [];
  const notes: string[] = [];
  for (const item of composed) {
    const live = look.live.get(keyOf(refOf(item.desired)));
    const refused = live && refusal(live, applySet, adopt);
    if (refused !== undefined) notes.push(`${title(refOf(item.desired))} is left as it is: ${refused}`);
    else if (live) steps.push(...patchFor(look, item, live));
    else steps.push({ do: 'create', cluster: look.name, object: forCreation(item.desired, item.overlaid) });
  }
  return { steps, notes };
}

function patchFor(look: ClusterLook, { desired, overlaid }: Composed, live: KubeObject): PlanStep[] {
  const base = readLastApplied(live);
  const merged = threeWay({ base, desired, overlaid, live, schema: look.schemaOf(live) });
  if (!merged.patch) return [];
  return [
    {
      do: 'patch',
      cluster: look.name,
      ref: refOf(live),
      resourceVersion: live.metadata.resourceVersion ?? '',
      patch: merged.patch,
      differences: merged.differences,
      cause: merged.bookkeepingOnly ? 'takeover' : causeOf(merged.differences, base, overlaid, live),
    },
  ];
}

/**
 * Drift is a field that somebody else wrote last: its managedFields name another manager than serin, and what was applied last is what
 * Git still says. Everything else is Git's change, or the roll-out's.
 */
function causeOf(differences: readonly Difference[], base: KubeObject | undefined, overlaid: KubeObject, live: KubeObject): Cause {
  const sameVersion =
    base !== undefined && at(overlaid, 'metadata', 'annotations', SERIN.revision) === at(live, 'metadata', 'annotations', SERIN.revision);
  return sameVersion && differences.some((d) => d.manager !== undefined && d.manager !== SERIN.manager) ? 'drift' : 'change';
}

/** The same without repairs: each is told as a note instead. */
export function driftReported({ steps, notes }: Writes): Writes {
  const drifted = steps.filter((step) => step.do === 'patch' && step.cause === 'drift');
  const told = drifted.map((s) =>
    s.do === 'patch' ? `${title(s.ref)} has drifted and is left so: ${s.differences.map((d) => d.path).join(', ')}` : '',
  );
  return { steps: steps.filter((step) => !drifted.includes(step)), notes: [...notes, ...told] };
}

/** How much a tick may delete on its own: ten objects or the share of the release's live objects, whichever is greater. */
const SMALL = 10;

/**
 * Deletions of members that the set no longer wants, the last created first. Refused as a whole when the set is empty, or when more than the
 * budget would go; what serin composed itself costs nothing. Namespaces, CustomResourceDefinitions and volume claims are never deleted unasked.
 */
export function deletionsFor(look: ClusterLook, composed: readonly Composed[], applySet: string, budget: Percent): Writes {
  const wanted = new Set<ObjectKey>(composed.map((c) => keyOf(refOf(c.desired))));
  const members = [...look.live.values()].filter((o) => o.metadata.labels?.[SERIN.partOf] === applySet);
  const gone = members.filter((o) => !wanted.has(keyOf(refOf(o))) && o.metadata.deletionTimestamp === undefined);
  const kept = gone.filter(isKept);
  const going = gone.filter((o) => !isKept(o));
  const notes = kept.map(
    (o) =>
      `${title(refOf(o))} is no longer in Git and stays: ${KEPT_KINDS.has(o.kind) ? `a ${o.kind} goes only by hand` : 'serin.dev/prune is keep'}`,
  );
  const costly = going.filter((o) => o.metadata.annotations?.[SERIN.siblingOf] === undefined);
  const limit = Math.max(SMALL, Math.floor((members.length * budget) / 100));
  if (composed.length === 0 && going.length > 0) return { steps: [], notes: [...notes, 'the render is empty: nothing is deleted'] };
  if (costly.length > limit)
    return { steps: [], notes: [...notes, `${costly.length} objects would be deleted and the budget is ${limit}: nothing is deleted`] };
  const steps = going
    .sort((a, b) => rank(b) - rank(a))
    .map(
      (o): PlanStep => ({
        do: 'delete',
        cluster: look.name,
        ref: refOf(o),
        uid: o.metadata.uid ?? '',
        because: `${title(refOf(o))} is no longer wanted`,
      }),
    );
  return { steps, notes };
}

const KEPT_KINDS: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition', 'PersistentVolumeClaim']);

function isKept(object: KubeObject): boolean {
  return KEPT_KINDS.has(object.kind) || object.metadata.annotations?.['serin.dev/prune'] === 'keep';
}
