import type { Revision, Sha } from '../desired/types.ts';
import type { PullRequest, Status } from '../ports.ts';
import type { ReleaseRecord } from '../rollout/types.ts';
import { isOf, kindOf } from './branches.ts';
import type { ReleaseLook } from './look.ts';
import { type Wanted, wantedRequest } from './requests.ts';
import type { ClusterState } from './state.ts';
import type { PlanStep } from './types.ts';

/** The one constant context that a branch protection may require. */
export const GATES_CONTEXT = 'serin/gates';

/** GitHub refuses a longer description. */
const DESCRIPTION_LIMIT = 140;

/**
 * Commits whose statuses a plan must know, so that it writes none twice: the heads of the open requests, and where head's revision was held the
 * commit that brought it.
 */
export function statusCommits(
  pullRequests: readonly PullRequest[],
  release: string,
  head: Revision,
  records: readonly ReleaseRecord[],
): readonly Sha[] {
  const held = records.flatMap((r) => r.closed).filter((c) => c.as === 'held' && c.revision === head);
  const open = pullRequests.filter((p) => p.state === 'open' && isOf(p.branch, release));
  return [...new Set([...open.map((p) => p.headSha), ...held.slice(-1).map((c) => c.commit)])];
}

/**
 * What the forge needs: failing statuses first, then the one open request, the others closed, and its status where it changed. While rollout.yaml cannot be read nothing is proposed and nothing closed: what it says is not
 * known.
 */
export function forgeSteps(look: ReleaseLook, states: readonly ClusterState[]): PlanStep[] {
  if (look.pullRequests === undefined) return [];
  if (look.rolloutMistake !== undefined) return failures(look, states, []);
  const mine = look.pullRequests.filter((p) => isOf(p.branch, look.release.name));
  const open = mine.filter((p) => p.state === 'open');
  const wanted = wantedRequest(look, states);
  const there = wanted && mine.find((p) => p.branch === wanted.request.branch);
  const proposals: PlanStep[] = wanted && !there ? [{ do: 'propose', request: wanted.request }] : [];
  const superseded = open.filter((p) => p.branch !== wanted?.request.branch);
  const closings = superseded.map((p): PlanStep => ({ do: 'close', number: p.number, branch: p.branch, because: reason(wanted) }));
  const onHead =
    wanted && there?.state === 'open'
      ? changed(look, there.headSha, { context: GATES_CONTEXT, state: wanted.state, description: wanted.description })
      : [];
  return [...failures(look, states, open), ...proposals, ...closings, ...onHead, ...merge(look, wanted, there)];
}

function reason(wanted: Wanted | undefined): string {
  return wanted ? `superseded by ${wanted.request.branch}` : 'what it asked for no longer stands';
}

/** A held candidate fails on its own commit, and on the head of whatever request would have let it go on. */
function failures(look: ReleaseLook, states: readonly ClusterState[], open: readonly PullRequest[]): PlanStep[] {
  const held = states.flatMap((s) => s.record.closed).findLast((c) => c.as === 'held' && c.revision === look.head.revision);
  if (!held) return [];
  const description = held.reason;
  const heads = open.filter((p) => kindOf(p.branch) === 'advance' || kindOf(p.branch) === 'promote').map((p) => p.headSha);
  return [
    ...heads.flatMap((head) => changed(look, head, { context: GATES_CONTEXT, state: 'failure', description })),
    ...changed(look, held.commit, { context: `serin/${look.release.name}`, state: 'failure', description }),
  ];
}

/**
 * A status, cut to what GitHub takes; nothing where the commit carries it already. Pending and green are written when they become so and not again
 * with every point that a gate sees: GitHub takes 1,000 of a commit and context.
 * @see https://docs.github.com/rest/commits/statuses#create-a-commit-status
 */
function changed(look: ReleaseLook, commit: Sha, status: Status): PlanStep[] {
  const cut = {
    ...status,
    description:
      status.description.length <= DESCRIPTION_LIMIT ? status.description : `${status.description.slice(0, DESCRIPTION_LIMIT - 1)}…`,
  };
  const now = look.statuses.get(commit)?.find((s) => s.context === cut.context);
  return now?.state === cut.state && (now.description === cut.description || cut.state !== 'failure')
    ? []
    : [{ do: 'status', commit, status: cut }];
}

/** Automatic promotion merges serin's own request, with the head whose gates were judged in this look. */
function merge(look: ReleaseLook, wanted: Wanted | undefined, there: PullRequest | undefined): PlanStep[] {
  const kind = wanted?.request.kind;
  if (look.release.canary?.promotion !== 'automatic' || there?.state !== 'open' || wanted?.state !== 'success') return [];
  if (kind !== 'advance' && kind !== 'promote') return [];
  return [{ do: 'merge', number: there.number, head: there.headSha, because: wanted.description }];
}
