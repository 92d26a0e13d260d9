import { type ReleaseReading, type RepositoryReading, readRepository } from '../desired/repository.ts';
import type { Files, RenderedSet, Sha } from '../desired/types.ts';
import { InputError } from '../errors.ts';
import { questionsFor } from '../gates/questions.ts';
import type { MergeSchema } from '../merge/types.ts';
import { type Kind, type KubeObject, keyOf, type ObjectKey, type ObjectRef, refOf, SERIN } from '../objects.ts';
import { statusCommits } from '../plan/forge-steps.ts';
import { type Answer, type ClusterLook, commitsOf, type ReleaseLook } from '../plan/look.ts';
import { applySetId, memberKinds, parentRef } from '../plan/parent.ts';
import { observedWeight } from '../plan/release.ts';
import type { Cluster, PullRequest } from '../ports.ts';
import { checkPlain, renderPlain, sharedFiles } from '../render/plain.ts';
import { readRecord } from '../rollout/record.ts';
import type { TickOptions } from './options.ts';

/** What Git says at one commit, read once for all releases of a look. */
export interface Desired extends RepositoryReading {
  readonly commit: Sha;
  readonly files: Files;
  readonly pullRequests: readonly PullRequest[] | undefined;
}

/** @throws InputError with every mistake of every file, before any cluster is asked anything */
export async function lookAtGit(options: TickOptions, commit: Sha): Promise<Desired> {
  const files = await options.source.files(commit, [], options.signal);
  const reading = readRepository(files);
  const releases = reading.releases.map(({ release }) => release);
  checkPlain(releases, files);
  const pullRequests = await options.forge?.pullRequests(options.signal);
  return { ...reading, commit, files, pullRequests };
}

/** One release as Git, its clusters, Prometheus and the forge show it now. */
export async function lookAtRelease(
  options: TickOptions,
  desired: Desired,
  reading: ReleaseReading,
  mayRaise: boolean,
): Promise<ReleaseLook> {
  const { release, rollout } = reading;
  const names = release.waves.flatMap((wave) => wave.clusters.map((cluster) => ({ wave: wave.name, cluster })));
  const clusters = await Promise.all(
    names.map(async ({ wave, cluster }) => ({ wave, port: await options.cluster(cluster, desired.fleet) })),
  );
  const parents = await Promise.all(clusters.map(({ port }) => port.get(parentRef(release), options.signal)));
  const records = parents.map(readRecord);
  const { sets, files } = await render(options, desired, reading, commitsOf(desired.commit, rollout, records), clusters[0]?.port);
  const head = sets.get(desired.commit) as RenderedSet;
  const looks = await Promise.all(
    clusters.map(({ wave, port }, index) => lookAtCluster(options, reading, { wave, port, parent: parents[index] }, [...sets.values()])),
  );
  return {
    release,
    rollout,
    rolloutText: reading.rolloutText,
    rolloutFile: reading.rolloutFile,
    rolloutMistake: reading.rolloutMistake?.message,
    head,
    sets,
    files,
    sharedFiles: sharedFiles(
      release,
      desired.releases.map((r) => r.release),
      desired.files,
    ),
    clusters: looks,
    answers: await evidence(options, desired, reading, looks),
    pullRequests: desired.pullRequests,
    statuses: await statuses(options, statusCommits(desired.pullRequests ?? [], release.name, head.revision, records)),
    mayRaise,
  };
}

/** Renders at every commit that counts. Head must render; an older commit that no longer does is left out, and the plan says so. */
async function render(
  options: TickOptions,
  desired: Desired,
  { release }: ReleaseReading,
  commits: readonly Sha[],
  port: Cluster | undefined,
) {
  const sets = new Map<Sha, RenderedSet>();
  const files = new Map<Sha, Files>();
  const namespaced = async (kind: Kind) => port?.namespaced(kind, options.signal) ?? true;
  for (const commit of commits) {
    const head = commit === desired.commit;
    try {
      const texts = head ? desired.files : await options.source.files(commit, [], options.signal);
      const then = head ? release : (readRepository(texts).releases.find((r) => r.release.name === release.name)?.release ?? release);
      files.set(commit, texts);
      sets.set(commit, await renderPlain(then, commit, texts, namespaced));
    } catch (error) {
      if (head || !(error instanceof InputError)) throw error;
    }
  }
  return { sets, files };
}

/** One LIST per kind, the parent's kinds included; what is wanted and not among the members is asked for by name. */
async function lookAtCluster(
  { signal }: TickOptions,
  { release }: ReleaseReading,
  { wave, port, parent }: { wave: string; port: Cluster; parent: KubeObject | undefined },
  sets: readonly RenderedSet[],
): Promise<ClusterLook> {
  const wanted = sets.flatMap((set) => set.objects);
  const kinds = unique([...wanted, ...memberKinds(parent)]);
  const elsewhere = (kind: Kind) => wanted.some((o) => o.kind === kind.kind && o.metadata.namespace !== release.namespace);
  const selector = { [SERIN.partOf]: applySetId(release) };
  const lists = await Promise.all(kinds.map((kind) => port.list(kind, elsewhere(kind) ? undefined : release.namespace, selector, signal)));
  const live = new Map<ObjectKey, KubeObject>(lists.flat().map((o) => [keyOf(refOf(o)), o]));
  const missing = new Map<ObjectKey, ObjectRef>(wanted.map((o) => [keyOf(refOf(o)), refOf(o)] as const).filter(([key]) => !live.has(key)));
  const found = await Promise.all([...missing.values()].map((ref) => port.get(ref, signal)));
  for (const object of found) if (object) live.set(keyOf(refOf(object)), object);
  const schemas = new Map<string, MergeSchema | undefined>(
    await Promise.all(kinds.map(async (kind) => [name(kind), await port.schema(kind, signal)] as const)),
  );
  return { name: port.name, wave, parent, live, schemaOf: (kind) => schemas.get(name(kind)), now: await port.now(signal) };
}

function unique(kinds: readonly Kind[]): readonly Kind[] {
  return [...new Map(kinds.map(({ apiVersion, kind }) => [name({ apiVersion, kind }), { apiVersion, kind }])).values()];
}

function name({ apiVersion, kind }: Kind): string {
  return `${apiVersion} ${kind}`;
}

/** Every question is asked once; a release whose clusters share a Prometheus is asked about as one. */
async function evidence(
  options: TickOptions,
  desired: Desired,
  { release }: ReleaseReading,
  looks: readonly ClusterLook[],
): Promise<Answer[]> {
  const metrics = options.metrics(desired.fleet);
  const questions = looks.flatMap((look) =>
    questionsFor(release, readRecord(look.parent).candidate, observedWeight(release, look), look.now),
  );
  return Promise.all(
    questions.map(async ({ gate, asked }) => {
      const unavailable = { kind: 'unavailable', why: 'the fleet names no Prometheus' } as const;
      const answer = asked && (metrics ? await metrics.queryRange(asked, options.signal) : unavailable);
      return { gate: gate.name, asked, answer };
    }),
  );
}

/** The latest statuses of the commits that this release's plan may write one to. */
async function statuses({ forge, signal }: TickOptions, commits: readonly Sha[]): Promise<ReleaseLook['statuses']> {
  const found = forge ? await Promise.all(commits.map(async (commit) => [commit, await forge.statuses(commit, signal)] as const)) : [];
  return new Map(found);
}
