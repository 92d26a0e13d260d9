import { at, type KubeObject, withAt } from '../objects.ts';
import type { PlanStep, ReleasePlan } from '../plan/types.ts';
import { iso } from '../units.ts';
import { pullRequestText } from './pull-request.ts';

/** What `-o json` prints of one release. Fields are added here, never renamed. */
export interface PlanJson {
  readonly release: string;
  readonly head: ReleasePlan['head'] | null;
  readonly stable: ReleasePlan['stable'] | null;
  readonly clusters: Readonly<Record<string, unknown>>;
  readonly readings: ReleasePlan['readings'];
  readonly steps: readonly unknown[];
  readonly again: ReleasePlan['again'];
  readonly notes: readonly string[];
}

export function planJson(plan: ReleasePlan): PlanJson {
  return {
    release: plan.release,
    head: plan.head ?? null,
    stable: plan.stable ?? null,
    clusters: clustersJson(plan),
    readings: plan.readings,
    steps: plan.steps.map(stepJson),
    again: plan.again,
    notes: plan.notes,
  };
}

/** Decision, what was seen and the record of every cluster; moments as RFC 3339. */
export function clustersJson({ decisions, observed, records }: ReleasePlan): Record<string, unknown> {
  const names = [...new Set([...Object.keys(decisions), ...Object.keys(observed), ...Object.keys(records)])];
  return Object.fromEntries(
    names.map((name) => {
      const candidate = records[name]?.candidate;
      return [
        name,
        {
          decision: decisions[name] ?? null,
          observed: observed[name] ?? null,
          stable: records[name]?.stable ?? null,
          canary:
            candidate === undefined
              ? null
              : {
                  ...candidate,
                  startedAt: iso(candidate.startedAt),
                  entered: candidate.entered.map((e) => ({ weight: e.weight, at: iso(e.at) })),
                },
          closed: (records[name]?.closed ?? []).map((closed) => ({ ...closed, at: iso(closed.at) })),
        },
      ];
    }),
  );
}

function stepJson(step: PlanStep): unknown {
  switch (step.do) {
    case 'create':
      return { ...step, object: masked(step.object) };
    case 'patch': {
      const { patch: _, ...shown } = step;
      return { ...shown, differences: step.differences.map((d) => ({ ...d, live: d.live ?? null, desired: d.desired ?? null })) };
    }
    case 'propose': {
      const { kind, release, branch, onto, files } = step.request;
      return { do: step.do, kind, release, branch, onto, files: Object.keys(files).sort(), title: pullRequestText(step.request).title };
    }
    default:
      return step;
  }
}

/** A new Secret is named with its keys; its values stay where they are. */
function masked(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret') return object;
  return ['data', 'stringData'].reduce<KubeObject>((secret, field) => {
    const values = at(secret, field);
    if (typeof values !== 'object' || values === null) return secret;
    return withAt(secret, [field], Object.fromEntries(Object.keys(values).map((key) => [key, '***'])));
  }, object);
}
