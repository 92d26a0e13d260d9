import type { KubeObject } from '../objects.ts';

/** How the API server merges one field, as its OpenAPI says. */
export interface MergeField {
  /** Merge key of a list of objects, from x-kubernetes-patch-merge-key. */
  readonly key?: string;
  /** From x-kubernetes-patch-strategy: merge, replace, retainKeys, and their combinations. */
  readonly strategies: readonly ('merge' | 'replace' | 'retainKeys')[];
  /** All keys that tell the list's items apart, from x-kubernetes-list-map-keys: port and protocol, for example. */
  readonly listMapKeys?: readonly string[];
  /** The schema of the object, of the list's items, or of the map's values. */
  readonly of: () => MergeSchema;
}

/** The merge rules of one type of object. A field that is not listed is replaced as a whole when it is a list, and merged when it is an object. */
export interface MergeSchema {
  readonly fields: Readonly<Record<string, MergeField>>;
  /** Rules for the values of a map (additionalProperties), where it has any. */
  readonly values?: () => MergeSchema;
}

/** What travels to the API server. */
export type Patch =
  | { readonly type: 'strategic'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly type: 'merge'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly type: 'json'; readonly body: readonly JsonOperation[] };

export interface JsonOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

export interface MergeInput {
  /** What was applied last, from the annotation on live; undefined where there is none: then nothing is deleted. */
  readonly base: KubeObject | undefined;
  /** Git's manifest: what goes into the last-applied annotation. */
  readonly desired: KubeObject;
  /** The manifest with what serin adds itself (labels, serin.dev/*, replicas, weights): what the object shall be. Often the same as desired. */
  readonly overlaid: KubeObject;
  readonly live: KubeObject;
  /** Undefined for custom resources: then a JSON merge patch is made. */
  readonly schema: MergeSchema | undefined;
}

/** One field that is not as Git has it. Values of Secrets are masked before they get here. */
export interface Difference {
  /** spec.template.spec.containers[name=app].image */
  readonly path: string;
  readonly live: unknown;
  readonly desired: unknown;
  /** Who wrote the live value and when, from managedFields; undefined where nobody is named. */
  readonly manager?: string;
  readonly time?: string;
}

export interface Merged {
  /** Undefined when applying it would change nothing: judged by the result, not by the patch. */
  readonly patch: Patch | undefined;
  /** The object as it will be, as far as can be told without asking the server. */
  readonly result: KubeObject;
  /** What changes, empty when patch is undefined. The last-applied annotation itself is not listed. */
  readonly differences: readonly Difference[];
  /** True when the only change is that annotation: a takeover, not drift. */
  readonly bookkeepingOnly: boolean;
}
