import type { KubeObject } from '../objects.ts';
import type { Instant, Percent, Seconds } from '../units.ts';

/** 40 hex digits: one commit of the repository. */
export type Sha = string & { readonly unit: 'sha' };
/** 10 hex digits: the digest of one rendered set (src/versions/revision.ts). */
export type Revision = string & { readonly unit: 'revision' };

/** serin.yaml */
export interface Fleet {
  readonly name: string;
  readonly github?: { readonly repository: string; readonly base: string };
  /** Glob of release.yaml files, for example releases/&#42;/release.yaml. */
  readonly releases: string;
  readonly clusters: Readonly<Record<string, ClusterAddress>>;
  readonly prometheus?: { readonly url: string };
  readonly defaults: {
    readonly drift: 'repair' | 'report';
    readonly driftEvery: Seconds;
    readonly adopt: Adoption;
    readonly pruneBudget: Percent;
  };
}

/** How a cluster is found. An empty address is the kubeconfig's current context. */
export type ClusterAddress = { readonly context?: string } | { readonly inCluster: true };
export type Adoption = 'never' | 'if-unowned' | 'all';

/** release.yaml. `folder` is where the file lies; paths in it are relative to that folder. */
export interface Release {
  readonly name: string;
  readonly folder: string;
  readonly file: string;
  readonly namespace: string;
  readonly render: { readonly manifests: string };
  readonly waves: readonly Wave[];
  readonly mode: 'observe' | 'new-only' | 'repair-patch' | 'enforce';
  readonly adopt: Adoption;
  /** Absent: head is applied as it is, by the Deployment's own rolling update. */
  readonly canary?: CanaryStrategy;
  /** Gates declared in the release itself plus those of gates/&#42;.yaml that its steps name. */
  readonly gates: Readonly<Record<string, Gate>>;
}

export interface Wave {
  readonly name: string;
  readonly clusters: readonly string[];
}

export interface CanaryStrategy {
  readonly naming: 'sibling';
  readonly capacity: 'light';
  readonly traffic: readonly Traffic[];
  readonly steps: readonly Step[];
  readonly promotion: 'pull-request' | 'automatic';
  readonly maxAge: Seconds;
}

/** One router for one Service. */
export interface Traffic {
  readonly service: string;
  readonly gatewayAPI: { readonly httpRoute: string };
  /** How long a weight must have stood before anything shrinks: routers need time to reload. */
  readonly settle: Seconds;
}

export interface Step {
  readonly weight: Percent;
  readonly hold: Seconds;
  /** Names of gates, resolved by src/desired. */
  readonly gates: readonly string[];
}

/** kind: Gate. Fails when more than `failureLimit` points of the window lie outside the range. */
export interface Gate {
  readonly name: string;
  readonly interval: Seconds;
  readonly lag: Seconds;
  readonly threshold: {
    /** PromQL with {{track}}, {{pods}}, {{namespace}}, {{release}} filled in. */
    readonly query: string;
    readonly min?: number;
    readonly max?: number;
    readonly failureLimit: number;
    readonly minPoints: number;
  };
}

/** rollout.yaml: the story so far, as merged. */
export interface Rollout {
  readonly stable: { readonly revision: Revision; readonly commit: Sha };
  readonly canary?: {
    readonly revision: Revision;
    readonly commit: Sha;
    readonly wave: string;
    readonly weight: Percent;
    readonly skipGates?: string;
  };
  readonly held: readonly Held[];
  /** A revision whose hold is lifted: it may start again from the first step. */
  readonly retry?: Revision;
}

export interface Held {
  readonly revision: Revision;
  readonly reason: string;
  readonly at: Instant;
}

/** What one release renders to at one commit. */
export interface RenderedSet {
  readonly revision: Revision;
  readonly commit: Sha;
  readonly objects: readonly KubeObject[];
}

/** The text files of a repository at one commit, by path from the repository's root. */
export type Files = ReadonlyMap<string, string>;
