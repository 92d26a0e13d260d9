import { at, type KubeObject, SERIN } from '../objects.ts';
import type { Proof } from '../rollout/types.ts';
import { between, type Instant, instant, type Percent, percent, type Seconds, seconds } from '../units.ts';

/** A lens on one router object: it finds the canary's weight in it, and returns it with another. It calls nothing. */
export interface Lens {
  readonly service: string;
  readonly canary: string;
}

interface Backend {
  readonly name: string;
  readonly kind?: string;
  readonly weight?: number;
}

/** Percent that the route's objects give the canary now; the largest of its rules. */
export function observe(route: KubeObject | undefined, lens: Lens): Percent {
  const shares = rules(route).map((rule) => {
    const backends = backendsOf(rule);
    const canary = weightOf(backends, lens.canary);
    const both = canary + weightOf(backends, lens.service);
    return both === 0 ? 0 : Math.round((canary * 100) / both);
  });
  return percent(Math.max(0, ...shares));
}

/**
 * The route with another weight. Only the backendRef that names the Service is split; the weights of other backends in the same rule are
 * scaled, so that each keeps its share. At 0 the route is exactly the manifest.
 * @see https://gateway-api.sigs.k8s.io/reference/spec/#gateway.networking.k8s.io/v1.HTTPBackendRef a weight is at most 1,000,000
 */
export function shift(route: KubeObject, lens: Lens, weight: Percent): KubeObject {
  if (weight === 0) return route;
  const spec = route['spec'] as Record<string, unknown>;
  return { ...route, spec: { ...spec, rules: rules(route).map((rule) => split(rule, lens, weight)) } };
}

function split(rule: Record<string, unknown>, { service, canary }: Lens, weight: Percent): Record<string, unknown> {
  const backends = backendsOf(rule).filter((b) => b.name !== canary);
  if (!backends.some((b) => named(b, service))) return rule;
  const alone = backends.length === 1;
  const backendRefs = backends.flatMap((backend) => {
    const own = alone ? 1 : (backend.weight ?? 1);
    if (!named(backend, service)) return [{ ...backend, weight: own * 100 }];
    return [
      { ...backend, weight: own * (100 - weight) },
      { ...backend, name: canary, weight: own * weight },
    ];
  });
  return { ...rule, backendRefs };
}

/**
 * Whether the router serves what its object asks for: accepted and resolved by every parent at the present generation (necessary, never
 * sufficient), and then a settle time since serin last wrote it.
 */
export function proof(route: KubeObject | undefined, settle: Seconds, now: Instant): Proof {
  if (!route) return { is: 'cannot know', saw: 'the HTTPRoute is not there' };
  const name = `HTTPRoute ${route.metadata.name}`;
  const parents = (at(route, 'status', 'parents') as readonly unknown[] | undefined) ?? [];
  if (parents.length === 0) return { is: 'not yet', saw: `no gateway has taken ${name} yet`, lookAgainIn: seconds(1) };
  for (const parent of parents) {
    for (const type of ['Accepted', 'ResolvedRefs']) {
      const saw = standing(parent, type, route.metadata.generation ?? 0);
      if (saw !== undefined) return { is: 'not yet', saw: `${name}: ${saw}`, lookAgainIn: seconds(1) };
    }
  }
  const written = lastWritten(route);
  const stood = written === undefined ? settle : between(written, now);
  if (stood < settle) return { is: 'not yet', saw: `${name} has stood ${stood} s of ${settle} s`, lookAgainIn: seconds(settle - stood) };
  return { is: 'proven' };
}

/** What is wrong with one condition of a parent, or undefined when it holds at this generation. */
function standing(parent: unknown, type: string, generation: number): string | undefined {
  const conditions = (at(parent, 'conditions') as readonly Record<string, unknown>[] | undefined) ?? [];
  const condition = conditions.find((c) => c['type'] === type);
  if (!condition) return `${type} is not reported yet`;
  if (condition['status'] !== 'True')
    return `${type} is ${String(condition['status'])}: ${String(condition['message'] ?? condition['reason'] ?? '')}`;
  if (Number(condition['observedGeneration'] ?? 0) < generation) return `${type} is of an older generation`;
  return undefined;
}

/** The server's time of serin's last write to the object itself, from managedFields. */
function lastWritten(route: KubeObject): Instant | undefined {
  const times = (route.metadata.managedFields ?? []).filter(
    (m) => m.manager === SERIN.manager && m.subresource === undefined && m.time !== undefined,
  );
  const latest = times
    .map((m) => m.time as string)
    .sort()
    .at(-1);
  return latest === undefined ? undefined : instant(latest);
}

function rules(route: KubeObject | undefined): readonly Record<string, unknown>[] {
  return (at(route, 'spec', 'rules') as readonly Record<string, unknown>[] | undefined) ?? [];
}

function backendsOf(rule: Record<string, unknown>): readonly Backend[] {
  return (rule['backendRefs'] as readonly Backend[] | undefined) ?? [];
}

function weightOf(backends: readonly Backend[], service: string): number {
  return backends.filter((b) => named(b, service)).reduce((sum, b) => sum + (b.weight ?? 1), 0);
}

function named(backend: Backend, service: string): boolean {
  return backend.name === service && (backend.kind ?? 'Service') === 'Service';
}
