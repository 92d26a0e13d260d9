import { SerinError } from '../errors.ts';
import { keyOf } from '../objects.ts';
import type { ReleaseLook } from '../plan/look.ts';
import { changesNothing, doubtful, surviving } from '../plan/survivors.ts';
import type { PlanStep, ReleasePlan } from '../plan/types.ts';
import type { Cluster, Forge } from '../ports.ts';
import { decisionEvents, stepEvent } from '../report/events.ts';
import { pullRequestText } from '../report/pull-request.ts';
import type { TickOptions } from './options.ts';

export interface Ports {
  readonly clusterOf: (name: string) => Promise<Cluster>;
  readonly forge: Forge | undefined;
}

/** Carries a plan out, in its order, and tells of each write once it is done. @returns how many writes there were */
export async function act(plan: ReleasePlan, ports: Ports, { report, signal }: TickOptions, time: () => string): Promise<number> {
  for (const step of plan.steps) {
    signal.throwIfAborted();
    await carryOut(step, plan, ports, report, signal, time);
  }
  for (const event of decisionEvents(plan, time())) report(event);
  return plan.steps.length;
}

async function carryOut(
  step: PlanStep,
  plan: ReleasePlan,
  { clusterOf, forge }: Ports,
  report: TickOptions['report'],
  signal: AbortSignal,
  time: () => string,
): Promise<void> {
  switch (step.do) {
    case 'create':
      await (await clusterOf(step.cluster)).create(step.object, 'for real', signal);
      break;
    case 'patch':
      await (await clusterOf(step.cluster)).patch(step.ref, step.patch, step.resourceVersion, 'for real', signal);
      break;
    case 'delete':
      await (await clusterOf(step.cluster)).delete(step.ref, step.uid, signal);
      break;
    case 'propose': {
      const { title, body, message } = pullRequestText(step.request);
      const { branch, onto, files, kind, release } = step.request;
      const made = await must(forge).propose({ branch, title, body, message, onto, files }, signal);
      report({ event: 'pull-request-opened', time: time(), release, kind, number: made.number, title, url: made.url, branch });
      return;
    }
    case 'close':
      await must(forge).close(step.number, step.because, signal);
      break;
    case 'merge':
      if (!(await must(forge).merge(step.number, step.head, signal))) return;
      break;
    case 'status':
      await must(forge).setStatus(step.commit, step.status, signal);
      break;
  }
  report(stepEvent(step, plan.release, time()));
}

function must(forge: Forge | undefined): Forge {
  if (forge) return forge;
  throw new SerinError('E_NO_FORGE', 'a plan without a forge holds a request', {
    hint: 'this is a mistake in serin: please report it',
    retry: 'never',
  });
}

/** The plan without those patches of which the server itself says, by a dry run, that they change nothing. */
export async function confirmed(plan: ReleasePlan, look: ReleaseLook, ports: Ports, signal: AbortSignal): Promise<ReleasePlan> {
  const steps: PlanStep[] = [];
  for (const step of plan.steps) {
    const cluster = doubtful(plan, step) ? look.clusters.find((c) => c.name === step.cluster) : undefined;
    const live = cluster && step.do === 'patch' ? cluster.live.get(keyOf(step.ref)) : undefined;
    if (cluster && live && step.do === 'patch') {
      const dryRun = await (await ports.clusterOf(step.cluster))
        .patch(step.ref, step.patch, step.resourceVersion, 'dry run', signal)
        .catch(moved);
      if (dryRun && changesNothing(live, dryRun, cluster.schemaOf(step.ref))) continue;
    }
    steps.push(step);
  }
  return surviving(plan, steps);
}

/** An object that changed since the look cannot be asked about: the write itself will say so, and the next look sees it as it is. */
function moved(error: unknown): undefined {
  if (!(error instanceof SerinError && error.code === 'E_CONFLICT')) throw error;
}
