import type { ReleasePlan } from '../plan/types.ts';
import type { CandidateRecord, Decision } from '../rollout/types.ts';
import { iso } from '../units.ts';
import { decisionText } from './plan.ts';
import { clustersJson } from './plan-json.ts';
import { paint, printable, type Style } from './style.ts';

/** `serin status`: a line per release and cluster, under a heading. */
export function statusText(plans: readonly ReleasePlan[], style: Style): string {
  const rows = plans.flatMap(rowsOf);
  if (rows.length === 0) return 'no releases';
  const head = ['RELEASE', 'CLUSTER', 'STABLE', 'CANARY', 'WEIGHT', 'STEP', 'SINCE', 'DOES'];
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row, index) => {
      const line = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ');
      return index === 0 ? paint(line, 'bold', style) : line;
    })
    .join('\n');
}

/** The same look as data: what `serin status -o json` prints. */
export function statusJson(plans: readonly ReleasePlan[]): unknown {
  return plans.map((plan) => ({
    release: plan.release,
    head: plan.head ?? null,
    stable: plan.stable ?? null,
    clusters: clustersJson(plan),
    readings: plan.readings,
    notes: plan.notes,
  }));
}

function rowsOf(plan: ReleasePlan): string[][] {
  const clusters = Object.keys(plan.decisions);
  return clusters.map((cluster) => {
    const record = plan.records[cluster];
    const candidate = record?.candidate;
    return [
      plan.release,
      cluster,
      record?.stable?.revision ?? plan.stable?.revision ?? '-',
      candidate?.revision ?? '-',
      candidate === undefined ? '-' : `${plan.observed[cluster]?.weight ?? 0} %`,
      stepOf(candidate),
      sinceOf(candidate),
      doing(plan.decisions[cluster]),
    ].map((cell) => printable(cell));
  });
}

/** The step that was entered last; a candidate that no router has proved yet is on its way to the first. */
function stepOf(candidate: CandidateRecord | undefined): string {
  if (candidate === undefined) return '-';
  const last = candidate.entered.at(-1);
  return last === undefined ? 'not entered' : `${candidate.entered.length} (${last.weight} %)`;
}

function sinceOf(candidate: CandidateRecord | undefined): string {
  if (candidate === undefined) return '-';
  return iso(candidate.entered.at(-1)?.at ?? candidate.startedAt);
}

function doing(decision: Decision | undefined): string {
  return decision === undefined ? '-' : decisionText(decision);
}
