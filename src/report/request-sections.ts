import { unreachable } from '../errors.ts';
import type { Evidence, Request } from '../plan/types.ts';
import type { Observed, Proof, Reading, Side } from '../rollout/types.ts';
import { duration } from '../units.ts';
import { code, prose, table } from './markdown.ts';
import { inline, shortSha } from './style.ts';

const STEP = { done: '✓', now: '▸', next: '·' } as const;
const VERDICT = { pass: '✅ pass', wait: '⏳ wait', fail: '❌ fail' } as const satisfies Record<Reading['verdict'], string>;

/** ✓ 10 %  ▸ 50 %  · 100 % */
export function stepPicture(steps: Evidence['steps'], failed = false): string {
  return steps.map(({ weight, state }) => `${failed && state === 'now' ? '✗' : STEP[state]} ${weight} %`).join('  ');
}

export function picture({ kind, evidence: { steps } }: Request): string[] {
  return steps.length === 0 ? [] : ['```text', stepPicture(steps, kind === 'rollback'), '```'];
}

/** What each side is, and the lines that differ between them. */
export function changes({ stable, candidate, changes: lines }: Evidence): string[] {
  const version = (name: string, v: Evidence['stable']) =>
    v === undefined ? [] : [`- ${name}: ${code(v.revision)} from commit ${shortSha(v.commit)}`];
  return [
    ...version('stable', stable),
    ...version('canary', candidate),
    ...lines.map(({ object, path, from, to }) => `- ${prose(object)} ${code(path)}: ${code(inline(from))} → ${code(inline(to))}`),
  ];
}

/** Gates first, in their own words; then pods and weights of every cluster. */
export function evidence({ kind, evidence: { readings, observed, wave } }: Request): string[] {
  const gates = readings.map((r) => [prose(r.gate), VERDICT[r.verdict], prose(r.saw)]);
  const pods = Object.entries(observed).flatMap(([cluster, seen]) => podRows(cluster, seen));
  const later =
    kind === 'advance' || kind === 'promote' ? ['This step has just begun: the status `serin/gates` says how its gates stand.', ''] : [];
  return [
    ...(gates.length === 0 ? later : [...table(['gate', 'verdict', 'saw'], gates), '']),
    ...(pods.length === 0 ? [] : table(['cluster', 'workload', 'stable pods', 'canary pods', 'weight', 'router'], pods)),
    ...(pods.length === 0 || wave === '' ? [] : ['', `Wave ${code(wave)}. Pods are ready of asked for.`]),
  ];
}

function podRows(cluster: string, { workloads, weight, proof }: Observed): string[][] {
  return workloads.map((w) => [prose(cluster), prose(w.name), podsOf(w.stable), podsOf(w.canary), `${weight} %`, prose(proofText(proof))]);
}

function podsOf({ exists, ready, replicas }: Side): string {
  return exists ? `${ready} of ${replicas}` : 'none';
}

export function proofText(proof: Proof): string {
  return proof.is === 'proven' ? 'proven' : `${proof.is}: ${proof.saw}`;
}

export function files({ files: texts }: Request): string[] {
  return Object.entries(texts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => `- ${code(path)}${text === null ? ' (deleted)' : ''}`);
}

export function merging(request: Request): string[] {
  const { weight = 0, nextWeight = 100, steps, candidate, stable } = request.evidence;
  const revision = code(candidate?.revision ?? 'the canary');
  const hold = steps.find((step) => step.weight === nextWeight)?.hold;
  switch (request.kind) {
    case 'record':
      return [
        `Nothing moves. ${code('rollout.yaml')} says from now on that ${code(stable?.revision ?? 'what runs')} is stable; the next new revision starts as a canary.`,
      ];
    case 'advance':
      return [
        `The canary ${revision} may go from ${weight} % to **${nextWeight} %** of the traffic. Pods come first, then the weight.`,
        ...(hold ? [`It stays there for at least ${duration(hold)}, and its gates are asked again.`] : []),
        'The gates are judged once more at that moment: where one fails, the canary is rolled back in spite of the merge.',
      ];
    case 'promote':
      return [
        `${revision} becomes stable: stable's own objects take its content, traffic goes back to them step by step, then the canary's pods go.`,
      ];
    case 'rollback':
      return [
        `The traffic does not wait for this: it is going back to stable${stable === undefined ? '' : ` ${code(stable.revision)}`} already.`,
        `Merging writes the hold on ${revision} into Git and restores the files of stable, so that Git and the cluster say the same again.`,
      ];
    default:
      return unreachable(request.kind);
  }
}

export function stopping(request: Request): string[] {
  const { weight = 0, candidate } = request.evidence;
  switch (request.kind) {
    case 'record':
      return ['Close this request: nothing new starts before stable is recorded.'];
    case 'advance':
      return [
        `- Close this request: the canary stays at ${weight} %.`,
        '- Revert the commit that brought the change: the canary is withdrawn, and its traffic goes back at the next tick.',
      ];
    case 'promote':
      return [
        `- Close this request: the canary keeps ${weight} % of the traffic, until it is too old.`,
        '- Revert the commit that brought the change: the canary is withdrawn, and its traffic goes back at the next tick.',
      ];
    case 'rollback':
      return [
        `To try this revision again instead, add ${code(`retry: ${candidate?.revision ?? 'REVISION'}`)} to ${code('rollout.yaml')}: it starts from the first step.`,
      ];
    default:
      return unreachable(request.kind);
  }
}
