/** What a container does, from its image's tag and its environment. Times are real: seconds and milliseconds as they pass. */
export interface Behaviour {
  /** VERSION, else the image's tag. */
  readonly version: string;
  /** ERROR_RATE: the share of requests, 0 to 1, answered with 500. */
  readonly errorRate: number;
  /** LATENCY_MS: how long each answer takes at least. */
  readonly latencyMs: number;
  /** READY_DELAY: seconds from start until it listens and is ready; 1 when not said. */
  readonly readyDelay: number;
  /** CRASH: seconds from start until it crashes; never when not said. */
  readonly crashAfter: number | undefined;
  /** RUN_SECONDS: how long a container of a Job runs; 1 when not said. */
  readonly runSeconds: number;
  /** EXIT_CODE: what a container of a Job ends with. */
  readonly exitCode: number;
}

export type Environment = Readonly<Record<string, string>>;

export function behaviourOf(image: string, env: Environment): Behaviour {
  const number = (name: string, otherwise: number): number => {
    const value = Number(env[name]?.trim() || Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  const crash = number('CRASH', -1);
  return {
    version: env['VERSION'] ?? tagOf(image),
    errorRate: Math.min(1, number('ERROR_RATE', 0)),
    latencyMs: number('LATENCY_MS', 0),
    readyDelay: number('READY_DELAY', 1),
    crashAfter: crash < 0 ? undefined : crash,
    runSeconds: number('RUN_SECONDS', 1),
    exitCode: number('EXIT_CODE', 0),
  };
}

/** The part after the colon; of a digest its first seven digits; latest when there is neither. */
export function tagOf(image: string): string {
  const [name = '', digest] = image.split('@sha256:');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return tag ?? digest?.slice(0, 7) ?? 'latest';
}

/** Images of this name cannot be pulled: registry.example/missing:1.0 */
export function isMissing(image: string): boolean {
  return /(^|\/)missing(:|@|$)/.test(image);
}
