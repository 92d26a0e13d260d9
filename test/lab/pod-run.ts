import { setTimeout as sleep } from 'node:timers/promises';
import { HOST } from './addresses.ts';
import { type Api, ApiError } from './api.ts';
import { Container } from './container.ts';
import { type Condition, type ContainerSpec, type Pod, timestamp } from './pod-types.ts';

/** How long a pod without a preStop sleep still answers after it has been told to go: long enough for the gateway to hear of it. */
const DRAIN_SECONDS = 0.5;

/** One pod on the lab's node: its containers, and its status as the API server shall have it. */
export class PodRun {
  readonly address: string;
  readonly #api: Api;
  readonly #path: string;
  readonly #containers: readonly Container[];
  readonly #startTime = timestamp();
  #pod: Pod;
  #terminating = false;
  #gone = false;
  #publishing = false;
  #dirty = false;
  #since: Readonly<Record<string, Condition>> = {};

  constructor(api: Api, pod: Pod, address: string) {
    this.#api = api;
    this.#pod = pod;
    this.address = address;
    this.#path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
    this.#containers = pod.spec.containers.map((spec) => new Container(api, pod, spec, address, () => this.#publish()));
    for (const container of this.#containers) void container.start();
    this.#publish();
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** True from its start to the moment it is told to go: that long there is something to scrape. */
  get scraped(): boolean {
    return !this.#terminating && this.#containers.some((container) => container.ready);
  }

  /** The API server's newest word about the pod. */
  update(pod: Pod): void {
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined && !this.#terminating) void this.#terminate();
  }

  /** It is gone from the API server, or the lab ends. */
  stop(): void {
    this.#gone = true;
    for (const container of this.#containers) container.stop();
  }

  async #terminate(): Promise<void> {
    this.#terminating = true;
    const over = this.#containers.every((container) => typeof container.phase === 'number');
    for (const container of this.#containers) container.drain();
    this.#publish();
    if (!over) await sleep(drainSeconds(this.#pod) * 1000);
    this.stop();
    const precondition = { preconditions: { uid: this.#pod.metadata.uid }, gracePeriodSeconds: 0 };
    await this.#api.send('DELETE', this.#path, precondition).catch(() => undefined);
  }

  /** Sends the status; what changes meanwhile is sent once more, so that the last word is the newest. */
  #publish(): void {
    this.#dirty = true;
    // The constructor's containers call back before it is done.
    if (this.#publishing) return;
    this.#publishing = true;
    void Promise.resolve().then(async () => {
      while (this.#dirty && !this.#gone) {
        this.#dirty = false;
        await this.#send();
      }
      this.#publishing = false;
    });
  }

  async #send(): Promise<void> {
    try {
      const { uid } = this.#pod.metadata;
      await this.#api.send('PATCH', `${this.#path}/status`, { metadata: { uid }, status: this.#status() }, 'strategic-merge-patch');
    } catch (cause) {
      // Gone, or replaced by another pod of the same name: the watch will say so. Anything else is tried again.
      if (cause instanceof ApiError && (cause.status === 404 || cause.status === 409)) return;
      this.#dirty = true;
      await sleep(500);
    }
  }

  #status(): object {
    const phase = podPhase(this.#containers);
    const ready = !this.#terminating && this.#containers.every((container) => container.ready);
    const why = phase === 'Succeeded' ? 'PodCompleted' : 'ContainersNotReady';
    const conditions = [
      this.#condition('Initialized', true),
      this.#condition('PodReadyToStartContainers', true),
      this.#condition('ContainersReady', ready, why),
      this.#condition('Ready', ready, why),
    ];
    this.#since = Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
    return {
      phase,
      conditions,
      hostIP: HOST,
      hostIPs: [{ ip: HOST }],
      podIP: this.address,
      podIPs: [{ ip: this.address }],
      startTime: this.#startTime,
      observedGeneration: this.#pod.metadata.generation,
      initContainerStatuses: (this.#pod.spec.initContainers ?? []).map((spec) => completed(spec, this.#startTime)),
      containerStatuses: this.#containers.map((container) => container.status()),
    };
  }

  #condition(type: string, holds: boolean, why?: string): Condition {
    const status = holds ? 'True' : 'False';
    const before = this.#since[type];
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : undefined;
    return {
      type,
      status,
      lastTransitionTime: lastTransitionTime ?? timestamp(),
      ...(holds || why === undefined ? {} : { reason: why }),
    };
  }
}

function podPhase(containers: readonly Container[]): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  const phases = containers.map((container) => container.phase);
  if (phases.every((phase) => typeof phase === 'number')) return phases.every((code) => code === 0) ? 'Succeeded' : 'Failed';
  return containers.every((container) => container.started) ? 'Running' : 'Pending';
}

/** Init containers do nothing in the lab and are done at once. */
function completed({ name, image }: ContainerSpec, at: string): object {
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at };
  return { name, image, imageID: `lab/${image}`, ready: true, restartCount: 0, state: { terminated }, lastState: {} };
}

/** The longest preStop sleep of its containers, at most the grace period. `sleep: {seconds}` and `exec: {command: [..., sleep, N]}` are understood. */
function drainSeconds({ spec }: Pod): number {
  const sleeps = spec.containers.map(({ lifecycle }) => {
    const typed = /\bsleep (\d+(?:\.\d+)?)/.exec(lifecycle?.preStop?.exec?.command?.join(' ') ?? '')?.[1];
    return lifecycle?.preStop?.sleep?.seconds ?? Number(typed ?? 0);
  });
  return Math.min(spec.terminationGracePeriodSeconds ?? 30, Math.max(DRAIN_SECONDS, ...sleeps));
}
