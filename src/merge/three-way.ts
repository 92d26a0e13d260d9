import { at, type KubeObject, SERIN, withAt } from '../objects.ts';
import { differences, withoutBookkeeping } from './difference.ts';
import { type Fields, omit, sameJson } from './json.ts';
import { applyJsonMerge, jsonMergeDiff } from './json-merge.ts';
import { encodeLastApplied, isSecret, lastApplied } from './last-applied.ts';
import { ownerOf } from './managed-fields.ts';
import { storedSecret } from './secret.ts';
import { applyStrategic, strategicDiff } from './strategic.ts';
import { mergeFields } from './target.ts';
import type { Merged, MergeInput, MergeSchema, Patch } from './types.ts';

/**
 * What has to be written so that live becomes what Git says, and nothing else changes.
 * Removed is what was applied last and has gone from Git and from what serin adds; added and changed is what live does not have yet.
 * Judged by the result: where live means the same already there is no patch, however differently it is spelled.
 */
export function threeWay({ base, desired, overlaid, live, schema }: MergeInput): Merged {
  const sides = {
    base: base && comparable(keepingScaledReplicas(base, live)),
    desired: comparable(desired),
    overlaid: comparable(overlaid),
    live,
  };
  const merged = mergeFields(sides, schema, false, []) as KubeObject;
  const result = remembering(merged, desired);
  if (sameJson(live, result)) return { patch: undefined, result: live, differences: [], bookkeepingOnly: false };
  return {
    patch: patchFrom(live, result, schema),
    result,
    differences: differences(live, result, schema),
    bookkeepingOnly: sameJson(live, merged),
  };
}

/**
 * The patch that surely gives the result, proven by applying it in memory. Should a strategic merge patch not, a JSON merge patch does:
 * it replaces lists whole, and the caller sends it with the resourceVersion that it was made from.
 */
function patchFrom(live: KubeObject, result: KubeObject, schema: MergeSchema | undefined): Patch {
  if (schema !== undefined) {
    const body = strategicDiff(live, result, schema);
    if (sameJson(applyStrategic(live, body, schema), result)) return { type: 'strategic', body };
  }
  const body = jsonMergeDiff(live, result);
  if (sameJson(applyJsonMerge(live, body), result)) return { type: 'merge', body };
  throw new RangeError('a JSON merge patch always gives its result, unless the object holds nulls');
}

/** A manifest as it is compared: what identifies the object and what the server keeps about it never travel in a patch. */
function comparable(manifest: KubeObject): Fields {
  const bare = omit(withoutBookkeeping(isSecret(manifest) ? storedSecret(manifest) : manifest), ['apiVersion', 'kind']);
  return { ...bare, metadata: omit(bare.metadata as Fields, ['name', 'namespace']) };
}

/** The annotation that remembers the manifest. Text that says the same in other bytes is left as it is. */
function remembering(merged: KubeObject, desired: KubeObject): KubeObject {
  const path = ['metadata', 'annotations', SERIN.lastApplied] as const;
  const text = at(merged, ...path);
  return typeof text === 'string' && sameJson(parsed(text), lastApplied(desired))
    ? merged
    : withAt(merged, path, encodeLastApplied(desired));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The base without `replicas` where somebody else set the live number: giving the field up to an autoscaler must not reset it to the default of 1.
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling
 */
function keepingScaledReplicas(base: KubeObject, live: KubeObject): KubeObject {
  const applied = at(base, 'spec', 'replicas');
  if (applied === undefined || !isSetByOthers(live, applied)) return base;
  return { ...base, spec: omit(base.spec as Fields, ['replicas']) };
}

function isSetByOthers(live: KubeObject, applied: unknown): boolean {
  const owner = ownerOf(live, [{ field: 'spec' }, { field: 'replicas' }]);
  if (owner === undefined) return at(live, 'spec', 'replicas') !== applied;
  return owner.subresource !== undefined || ![SERIN.manager, 'kubectl-client-side-apply'].includes(owner.manager);
}
