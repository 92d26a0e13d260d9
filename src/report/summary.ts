import { refOf, title } from '../objects.ts';
import type { PlanStep, ReleasePlan } from '../plan/types.ts';
import { code, fit, prose, type Section, table } from './markdown.ts';
import { decisionText, totals } from './plan.ts';
import { pullRequestText } from './pull-request.ts';
import { inline } from './style.ts';

/** GitHub refuses step summaries above 1 MiB; nobody reads that much. */
const SUMMARY_LIMIT = 200_000;

/** Markdown for $GITHUB_STEP_SUMMARY: a row per release and cluster, then what was written. */
export function stepSummary(plans: readonly ReleasePlan[]): string {
  if (plans.length === 0) return 'serin: no releases\n';
  return fit(
    [
      { title: 'serin', lines: table(['release', 'cluster', 'stable', 'canary', 'weight', 'decision'], plans.flatMap(rows)) },
      ...plans.flatMap(writes),
    ],
    SUMMARY_LIMIT,
  );
}

function rows(plan: ReleasePlan): string[][] {
  return Object.entries(plan.decisions).map(([cluster, decision]) => {
    const { stable = plan.stable, candidate } = plan.records[cluster] ?? {};
    const weight = plan.observed[cluster]?.weight;
    return [
      prose(plan.release),
      prose(cluster),
      stable === undefined ? '' : code(stable.revision),
      candidate === undefined ? '' : code(candidate.revision),
      weight === undefined ? '' : `${weight} %`,
      prose(decisionText(decision)),
    ];
  });
}

function writes({ release, steps, notes }: ReleasePlan): Section[] {
  if (steps.length === 0 && notes.length === 0) return [];
  return [
    { title: `${prose(release)}: ${totals(steps)}`, lines: [...notes.map((note) => `- ⚠️ ${prose(note)}`), ...steps.flatMap(stepLines)] },
  ];
}

function stepLines(step: PlanStep): string[] {
  switch (step.do) {
    case 'create':
      return [`- create ${code(title(refOf(step.object)))} in ${prose(step.cluster)}`];
    case 'patch':
      return [
        `- ${step.cause === 'drift' ? 'repair' : 'patch'} ${code(title(step.ref))} in ${prose(step.cluster)}`,
        ...step.differences.map(
          (d) =>
            `  - ${code(d.path)}: ${code(inline(d.live))} → ${code(inline(d.desired))}${d.manager === undefined ? '' : ` (by ${prose(d.manager)})`}`,
        ),
      ];
    case 'delete':
      return [`- delete ${code(title(step.ref))} in ${prose(step.cluster)}: ${prose(step.because)}`];
    case 'propose':
      return [`- open ${prose(pullRequestText(step.request).title)}`];
    case 'close':
    case 'merge':
      return [`- ${step.do} #${step.number}: ${prose(step.because)}`];
    case 'status':
      return [`- status ${step.status.state}: ${prose(step.status.description)}`];
  }
}
