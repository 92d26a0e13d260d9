import type { Api } from './api.ts';
import { type Behaviour, behaviourOf, isMissing } from './behaviour.ts';
import { ConfigError, needVolumes, resolveEnvironment } from './environment.ts';
import { type PodServer, serve } from './pod-server.ts';
import { type ContainerSpec, type Pod, timestamp } from './pod-types.ts';

/** Kubelet waits 10 s before the second restart, twice as long each time, at most 5 min; the lab's time is ten times as fast. */
const BACK_OFF_SECONDS = { first: 1, most: 30 } as const;
/** How often a container that could not be configured is tried again. */
const CONFIG_RETRY_SECONDS = 1;

type State =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: Terminated };

interface Terminated {
  readonly exitCode: number;
  readonly reason: 'Completed' | 'Error';
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** One container of one pod, from its start to its end: what kubelet and the container runtime would do, with a server of ours inside. */
export class Container {
  readonly #api: Api;
  readonly #pod: Pod;
  readonly #spec: ContainerSpec;
  readonly #address: string;
  readonly #changed: () => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  #state: State = { waiting: { reason: 'ContainerCreating' } };
  #last: Terminated | undefined;
  #ready = false;
  #restarts = 0;
  #server: PodServer | undefined;
  #stopped = false;

  constructor(api: Api, pod: Pod, spec: ContainerSpec, address: string, changed: () => void) {
    this.#api = api;
    this.#pod = pod;
    this.#spec = spec;
    this.#address = address;
    this.#changed = changed;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** True once it has run, also while it waits to run again. */
  get started(): boolean {
    return this.#last !== undefined || this.phase !== 'waiting';
  }

  /** 'waiting' to start or start again, 'running', or ended for good with an exit code. */
  get phase(): 'waiting' | 'running' | number {
    if ('terminated' in this.#state) return this.#state.terminated.exitCode;
    return 'running' in this.#state ? 'running' : 'waiting';
  }

  async start(): Promise<void> {
    if (this.#stopped) return;
    if (isMissing(this.#spec.image)) {
      const message = `failed to pull image "${this.#spec.image}": not found`;
      return this.#enter({ waiting: { reason: 'ErrImagePull', message } });
    }
    try {
      await needVolumes(this.#api, this.#pod).catch((cause: Error) =>
        Promise.reject(cause instanceof ConfigError ? new VolumeError(cause.message) : cause),
      );
      const env = await resolveEnvironment(this.#api, this.#pod, this.#address, this.#spec);
      this.#run(behaviourOf(this.#spec.image, env));
    } catch (cause) {
      // A missing volume keeps a pod in ContainerCreating; kubelet says what is missing in an event only.
      const reason = cause instanceof ConfigError ? 'CreateContainerConfigError' : 'ContainerCreating';
      this.#enter({ waiting: { reason, message: (cause as Error).message } });
      this.#after(CONFIG_RETRY_SECONDS, () => void this.start());
    }
  }

  /** Ready no more; connections end after the answers that are on them. */
  drain(): void {
    this.#clear();
    this.#stopped = true;
    this.#ready = false;
    this.#server?.drain();
  }

  stop(): void {
    this.drain();
    this.#server?.close();
    this.#server = undefined;
  }

  status(): object {
    const { name, image } = this.#spec;
    return {
      name,
      image,
      imageID: isMissing(image) ? '' : `lab/${image}`,
      ready: this.#ready,
      started: 'running' in this.#state,
      restartCount: this.#restarts,
      state: this.#state,
      lastState: this.#last === undefined ? {} : { terminated: this.#last },
    };
  }

  #run(behaviour: Behaviour): void {
    if (this.#stopped) return;
    const startedAt = timestamp();
    this.#enter({ running: { startedAt } });
    if (this.#pod.spec.restartPolicy !== 'Always') this.#after(behaviour.runSeconds, () => this.#end(behaviour.exitCode, startedAt));
    if (behaviour.crashAfter !== undefined) this.#after(behaviour.crashAfter, () => this.#end(1, startedAt));
    this.#after(behaviour.readyDelay, () => void this.#listen(behaviour, startedAt));
  }

  async #listen(behaviour: Behaviour, startedAt: string): Promise<void> {
    const ports = (this.#spec.ports ?? []).map((port) => port.containerPort);
    try {
      const server = await serve(this.#address, ports, this.#pod.metadata.name, behaviour);
      if (this.#stopped || !('running' in this.#state)) return server.close();
      this.#server = server;
      this.#ready = true;
      this.#changed();
    } catch {
      // The port is taken by another container of the pod: the program would end at once.
      this.#end(1, startedAt);
    }
  }

  #end(exitCode: number, startedAt: string): void {
    this.#clear();
    this.#server?.close();
    this.#server = undefined;
    this.#ready = false;
    const terminated: Terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt, finishedAt: timestamp() };
    const policy = this.#pod.spec.restartPolicy ?? 'Always';
    if (policy === 'Never' || (policy === 'OnFailure' && exitCode === 0)) return this.#enter({ terminated });
    this.#last = terminated;
    const wait = Math.min(BACK_OFF_SECONDS.most, BACK_OFF_SECONDS.first * 2 ** this.#restarts);
    const message = `back-off ${wait}s restarting failed container=${this.#spec.name} pod=${this.#pod.metadata.name}`;
    this.#enter({ waiting: { reason: 'CrashLoopBackOff', message } });
    this.#after(wait, () => {
      this.#restarts += 1;
      void this.start();
    });
  }

  #enter(state: State): void {
    this.#state = state;
    this.#changed();
  }

  #after(seconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, seconds * 1000);
    this.#timers.add(timer);
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

class VolumeError extends Error {}
