import { diffLines } from 'diff';
import type { Difference } from '../merge/types.ts';
import { refOf, title } from '../objects.ts';
import type { PlanStep, ReleasePlan } from '../plan/types.ts';
import type { Decision, Observed } from '../rollout/types.ts';
import { pullRequestText } from './pull-request.ts';
import { proofText } from './request-sections.ts';
import { count, inline, paint, printable, type Style, shortSha } from './style.ts';

type ClusterStep = Extract<PlanStep, { cluster: string }>;
type HostStep = Exclude<PlanStep, ClusterStep>;

/** A plan for people: the sentence that decided first, then what would be written, cluster by cluster. */
export function planText(plan: ReleasePlan, style: Style): string {
  const clusters = [...new Set([...Object.keys(plan.decisions), ...plan.steps.filter(isClusterStep).map((step) => step.cluster)])];
  const lines = [
    heading(plan, style),
    ...plan.notes.map((note) => `  ${paint('note:', 'yellow', style)} ${note}`),
    ...clusters.flatMap((cluster) => clusterLines(plan, cluster, style)),
    ...plan.steps.filter(isHostStep).flatMap((step) => hostLines(step, style)),
    `  ${totals(plan.steps)}`,
  ];
  return lines.map((line) => printable(line, style)).join('\n');
}

function heading({ release, head, stable }: ReleasePlan, style: Style): string {
  const at = head === undefined ? '' : ` at ${shortSha(head.commit)}`;
  const versions =
    head?.revision === stable?.revision
      ? `${head?.revision ?? 'nothing'}${at}`
      : `${stable?.revision ?? 'nothing'} → ${head?.revision ?? 'nothing'}${at}`;
  return `${paint(release, 'bold', style)}  ${versions}`;
}

function clusterLines(plan: ReleasePlan, cluster: string, style: Style): string[] {
  const decision = plan.decisions[cluster];
  const observed = plan.observed[cluster];
  return [
    `  ${paint(cluster, 'cyan', style)}${decision === undefined ? '' : `: ${decisionText(decision)}`}`,
    ...(observed === undefined ? [] : observedLines(observed).map((line) => paint(`    ${line}`, 'dim', style))),
    ...plan.steps.filter(isClusterStep).flatMap((step) => (step.cluster === cluster ? writeLines(step, style) : [])),
  ];
}

/** Install: nothing runs here yet. */
export function decisionText(decision: Decision): string {
  const word = decision.to === 'wait' ? `wait for ${WAITED[decision.for]}` : decision.to;
  return `${word}: ${decision.because}`;
}

const WAITED = { pods: 'pods', router: 'the router', time: 'time', gate: 'a gate', person: 'a person' } as const;

function observedLines({ workloads, weight, proof }: Observed): string[] {
  return [
    `weight ${weight} %, ${proofText(proof)}`,
    ...workloads.map(
      (w) =>
        `${w.name}: ${w.stable.ready} of ${w.stable.replicas} stable pods ready, ${w.canary.ready} of ${w.canary.replicas} canary pods; 100 % is ${count(w.size, 'pod')}`,
    ),
  ];
}

function writeLines(step: ClusterStep, style: Style): string[] {
  switch (step.do) {
    case 'create':
      return [paint(`    + create ${title(refOf(step.object))}`, 'green', style)];
    case 'patch': {
      const why = step.cause === 'change' ? '' : ` (${step.cause})`;
      const lines =
        step.differences.length === 0
          ? ['        only what was applied last is written down']
          : step.differences.flatMap((d) => differenceLines(d, style));
      return [paint(`    ~ patch ${title(step.ref)}${why}`, 'yellow', style), ...lines];
    }
    case 'delete':
      return [paint(`    - delete ${title(step.ref)}`, 'red', style) + paint(`: ${step.because}`, 'dim', style)];
  }
}

/** One line, live -> desired, and who wrote the live value; texts of several lines as a diff. */
export function differenceLines({ path, live, desired, manager, time }: Difference, style: Style): string[] {
  const who = manager === undefined ? '' : paint(`  (${manager}${time === undefined ? '' : `, ${time}`})`, 'dim', style);
  if (typeof live === 'string' && typeof desired === 'string' && (live.includes('\n') || desired.includes('\n'))) {
    return [`        ${path}:${who}`, ...textDiff(live, desired, style)];
  }
  return [`        ${path}: ${paint(inline(live), 'red', style)} → ${paint(inline(desired), 'green', style)}${who}`];
}

function textDiff(live: string, desired: string, style: Style): string[] {
  return diffLines(live, desired).flatMap(({ value, added, removed }) => {
    if (!added && !removed) return [];
    const sign = added ? '+' : '-';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => paint(`          ${sign} ${line}`, added ? 'green' : 'red', style));
  });
}

function hostLines(step: HostStep, style: Style): string[] {
  switch (step.do) {
    case 'propose':
      return [
        `  ${paint('+ pull request', 'green', style)} ${pullRequestText(step.request).title}`,
        paint(`      ${step.request.branch}`, 'dim', style),
      ];
    case 'close':
      return [`  ${paint('- close', 'red', style)} #${step.number}: ${step.because}`];
    case 'merge':
      return [`  ${paint('~ merge', 'yellow', style)} #${step.number} at ${shortSha(step.head)}: ${step.because}`];
    case 'status':
      return [
        `  ${paint('~ status', 'yellow', style)} ${step.status.context} on ${shortSha(step.commit)}: ${step.status.state}, ${step.status.description}`,
      ];
  }
}

/** 2 to create, 1 to patch, 0 to delete, 1 pull request, 1 status; or: nothing to do */
export function totals(steps: readonly PlanStep[]): string {
  if (steps.length === 0) return 'nothing to do';
  const of = (...words: PlanStep['do'][]) => steps.filter((step) => words.includes(step.do)).length;
  return [
    `${of('create')} to create, ${of('patch')} to patch, ${of('delete')} to delete`,
    ...(of('propose', 'close', 'merge') > 0 ? [count(of('propose', 'close', 'merge'), 'pull request')] : []),
    ...(of('status') > 0 ? [count(of('status'), 'status', 'statuses')] : []),
  ].join(', ');
}

export function isClusterStep(step: PlanStep): step is ClusterStep {
  return 'cluster' in step;
}

function isHostStep(step: PlanStep): step is HostStep {
  return !('cluster' in step);
}
