import { parseManifests } from '../../../src/desired/manifests.ts';
import { attempt } from '../../../src/desired/reading.ts';
import { parseRollout } from '../../../src/desired/rollout.ts';
import type { Files, Release, RenderedSet, Sha } from '../../../src/desired/types.ts';
import { questionsFor } from '../../../src/gates/questions.ts';
import { applyJsonMerge } from '../../../src/merge/json-merge.ts';
import { at, type KubeObject, keyOf, type ObjectKey, refOf, SERIN, withAt } from '../../../src/objects.ts';
import { statusCommits } from '../../../src/plan/forge-steps.ts';
import { commitsOf, type ReleaseLook } from '../../../src/plan/look.ts';
import { parentRef } from '../../../src/plan/parent.ts';
import { observedWeight, planRelease } from '../../../src/plan/release.ts';
import type { PlanStep, ReleasePlan } from '../../../src/plan/types.ts';
import type { PullRequest, Status } from '../../../src/ports.ts';
import { readRecord } from '../../../src/rollout/record.ts';
import { type Instant, iso, percent } from '../../../src/units.ts';
import { revisionOf } from '../../../src/versions/revision.ts';

const ROLLOUT = 'releases/shop/rollout.yaml';
/** Seconds that the router needs before it serves a weight: less than it is given to settle. */
const LAG = 2;

/** A cluster, a repository and a forge as values: no server, no clock of its own, so that a property can drive thousands of them. */
export class World {
  now = 1_000_000 as Instant;
  readonly live = new Map<ObjectKey, KubeObject>();
  readonly commits = new Map<Sha, Files>();
  head!: Sha;
  pullRequests: (PullRequest & { files: Readonly<Record<string, string | null>> })[] = [];
  readonly mistakes: string[] = [];
  readonly statuses = new Map<Sha, readonly Status[]>();
  writes = 0;
  private versions = 0;
  private served: { readonly weight: number; readonly at: number }[] = [{ weight: 0, at: 0 }];
  private readonly release: Release;
  private readonly pods = new Map<ObjectKey, { template: string; old: number; fresh: number }>();
  readonly size: number;

  constructor(release: Release, files: Files, size: number) {
    this.release = release;
    this.size = size;
    this.commit(files);
  }

  commit(files: Files): Sha {
    this.head = (this.commits.size + 1).toString(16).padStart(40, '0') as Sha;
    this.commits.set(this.head, files);
    return this.head;
  }

  /** The files of head with some of them changed. */
  edited(changes: Readonly<Record<string, string | null>>): Files {
    const files = new Map(this.commits.get(this.head));
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) files.delete(path);
      else files.set(path, text);
    }
    return files;
  }

  /** Merges the open request of serin, as a person does. */
  merge(): boolean {
    const request = this.pullRequests.find((p) => p.state === 'open');
    if (!request) return false;
    this.commit(this.edited(request.files));
    this.pullRequests = this.pullRequests.map((p) => (p === request ? { ...p, state: 'merged' } : p));
    return true;
  }

  plan(bad: (image: string) => boolean, mayRaise = true): ReleasePlan {
    const text = this.commits.get(this.head)?.get(ROLLOUT);
    const reading = text === undefined ? undefined : attempt(() => parseRollout(ROLLOUT, text));
    const rollout = reading && 'value' in reading ? reading.value : undefined;
    const parent = this.live.get(keyOf(parentRef(this.release)));
    const sets = new Map(commitsOf(this.head, rollout, [readRecord(parent)]).map((commit) => [commit, this.render(commit)] as const));
    const cluster = { name: 'here', wave: 'all', parent, live: this.live, schemaOf: () => undefined, now: this.now };
    const questions = questionsFor(this.release, readRecord(parent).candidate, observedWeight(this.release, cluster), this.now);
    const value = bad(this.canaryImage()) ? 50 : 0;
    const look: ReleaseLook = {
      release: this.release,
      rollout,
      rolloutText: text,
      rolloutFile: ROLLOUT,
      rolloutMistake: reading && 'mistake' in reading ? reading.mistake.message : undefined,
      head: sets.get(this.head) as RenderedSet,
      sets,
      files: this.commits,
      sharedFiles: new Set(),
      clusters: [cluster],
      answers: questions.map(({ gate, asked }) => ({
        gate: gate.name,
        asked,
        answer: asked && {
          kind: 'series',
          warnings: [],
          series: [{ labels: {}, points: [0, 1, 2].map((i) => [asked.start + i, value] as const) }],
        },
      })),
      pullRequests: this.pullRequests,
      statuses: new Map(
        statusCommits(this.pullRequests, this.release.name, (sets.get(this.head) as RenderedSet).revision, [readRecord(parent)]).map(
          (commit) => [commit, this.statuses.get(commit) ?? []],
        ),
      ),
      mayRaise,
    };
    return planRelease(look, { drift: 'repair', pruneBudget: percent(20) });
  }

  /** Carries out a plan up to a number of writes, as a process killed after them would. */
  act(plan: ReleasePlan, writes = Number.POSITIVE_INFINITY): void {
    for (const step of plan.steps.slice(0, writes)) {
      this.write(step);
      this.check(`after ${step.do}`);
    }
  }

  /** Time passes, and the controllers do some of their work. */
  pass(seconds: number, pods: number): void {
    this.now = (this.now + seconds) as Instant;
    for (const [key, object] of this.live) {
      if (object.kind === 'Deployment') this.live.set(key, this.reconciled(key, object, pods));
      if (object.kind === 'HTTPRoute') this.live.set(key, accepted(object));
    }
    this.check('as time passes');
  }

  image(name = 'shop'): string | undefined {
    const deployment = [...this.live.values()].find((o) => o.kind === 'Deployment' && o.metadata.name === name);
    return at(deployment, 'spec', 'template', 'spec', 'containers', 0, 'image') as string | undefined;
  }

  names(kind: string): string[] {
    return [...this.live.values()].filter((o) => o.kind === kind).map((o) => o.metadata.name);
  }

  private canaryImage(): string {
    return this.image('shop-canary') ?? '';
  }

  private render(commit: Sha): RenderedSet {
    const objects = parseManifests(this.commits.get(commit) ?? new Map(), 'releases/shop', { namespace: 'shop' }).map((o) =>
      withAt(o, ['metadata', 'namespace'], 'shop'),
    );
    return { revision: revisionOf(objects), commit, objects };
  }

  private write(step: PlanStep): void {
    this.writes += 1;
    if (step.do === 'create')
      this.store({ ...step.object, metadata: { ...step.object.metadata, uid: `uid-${this.writes}`, generation: 0 } }, undefined);
    if (step.do === 'patch') {
      const old = this.live.get(keyOf(step.ref));
      if (!old || old.metadata.resourceVersion !== step.resourceVersion)
        throw new Error(`a patch without its precondition: ${keyOf(step.ref)}`);
      if (step.patch.type !== 'merge') throw new Error('without schemas every patch is a JSON merge patch');
      this.store(applyJsonMerge(old, step.patch.body) as KubeObject, old);
    }
    if (step.do === 'delete') {
      this.live.delete(keyOf(step.ref));
      this.pods.delete(keyOf(step.ref));
    }
    if (step.do === 'propose') {
      const { branch, files } = step.request;
      if (this.pullRequests.some((p) => p.branch === branch)) throw new Error(`proposed twice: ${branch}`);
      const number = this.pullRequests.length + 1;
      this.pullRequests = [...this.pullRequests, { number, title: branch, url: '', branch, headSha: branch as Sha, state: 'open', files }];
    }
    if (step.do === 'status') {
      const others = (this.statuses.get(step.commit) ?? []).filter((known) => known.context !== step.status.context);
      this.statuses.set(step.commit, [step.status, ...others]);
    }
    if (step.do === 'merge') this.merge();
    if (step.do === 'close') this.pullRequests = this.pullRequests.map((p) => (p.number === step.number ? { ...p, state: 'closed' } : p));
  }

  private store(object: KubeObject, old: KubeObject | undefined): void {
    this.versions += 1;
    const changed = old === undefined || JSON.stringify(old['spec']) !== JSON.stringify(object['spec']);
    const managedFields = [{ manager: SERIN.manager, operation: 'Update' as const, apiVersion: object.apiVersion, time: iso(this.now) }];
    const generation = (old?.metadata.generation ?? 0) + (changed ? 1 : 0);
    this.live.set(keyOf(refOf(object)), {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.versions), generation, managedFields },
    });
    if (object.kind === 'HTTPRoute' && changed) this.served.push({ weight: weightOf(object), at: this.now });
  }

  /** A Deployment controller: some of the pods that are missing become ready, those too many end, and a changed template starts anew. */
  private reconciled(key: ObjectKey, object: KubeObject, pods: number): KubeObject {
    const template = JSON.stringify(at(object, 'spec', 'template'));
    const replicas = Number(at(object, 'spec', 'replicas') ?? 1);
    const was = this.pods.get(key) ?? { template, old: 0, fresh: 0 };
    const turned = was.template === template ? was : { template, old: was.old + was.fresh, fresh: 0 };
    const fresh = Math.min(replicas, turned.fresh + pods);
    const old = Math.min(turned.old, Math.max(0, replicas - fresh));
    this.pods.set(key, { template, old, fresh });
    const status = {
      observedGeneration: object.metadata.generation,
      replicas: old + fresh,
      updatedReplicas: fresh,
      availableReplicas: old + fresh,
    };
    return { ...object, status };
  }

  /** The first promise: what the router serves, and what its object asks for, is carried by ready pods on both sides. */
  private check(when: string): void {
    const asked = Math.max(0, ...[...this.live.values()].filter((o) => o.kind === 'HTTPRoute').map(weightOf));
    const ready = (name: string) => {
      const key = [...this.live.entries()].find(([, o]) => o.kind === 'Deployment' && o.metadata.name === name)?.[0];
      const now = key && this.pods.get(key);
      const replicas = key ? Number(at(this.live.get(key), 'spec', 'replicas') ?? 1) : 0;
      return now ? Math.min(replicas, now.old + now.fresh) : 0;
    };
    if (!this.live.size || this.image() === undefined || readRecord(this.live.get(keyOf(parentRef(this.release)))).stable === undefined)
      return;
    for (const weight of [asked, ...this.servedNow()]) {
      if (ready('shop-canary') * 100 < weight * this.size)
        this.mistakes.push(`${when}: ${weight} % for ${ready('shop-canary')} ready canary pods`);
      if (ready('shop') * 100 < (100 - weight) * this.size)
        this.mistakes.push(`${when}: ${100 - weight} % for ${ready('shop')} ready stable pods`);
    }
    const total = ['shop', 'shop-canary'].reduce(
      (sum, name) =>
        sum +
        Number(
          at(
            [...this.live.values()].find((o) => o.kind === 'Deployment' && o.metadata.name === name),
            'spec',
            'replicas',
          ) ?? 0,
        ),
      0,
    );
    if (total > 2 * this.size) this.mistakes.push(`${when}: ${total} pods of ${this.size}`);
  }

  /** Every weight that the router may still be serving. */
  private servedNow(): number[] {
    const settled = this.served.findLastIndex((s) => s.at + LAG <= this.now);
    return this.served.slice(Math.max(0, settled)).map((s) => s.weight);
  }
}

function weightOf(route: KubeObject): number {
  const backends = (at(route, 'spec', 'rules', 0, 'backendRefs') as { name: string; weight?: number }[] | undefined) ?? [];
  return backends.find((b) => b.name === 'shop-canary')?.weight ?? 0;
}

function accepted(route: KubeObject): KubeObject {
  const conditions = ['Accepted', 'ResolvedRefs'].map((type) => ({ type, status: 'True', observedGeneration: route.metadata.generation }));
  return { ...route, status: { parents: [{ conditions }] } };
}
