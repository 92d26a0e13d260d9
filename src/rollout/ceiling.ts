import type { CanaryStrategy, Release, Rollout } from '../desired/types.ts';
import { type Percent, percent } from '../units.ts';
import type { Version } from './types.ts';

/**
 * What Git allows one wave: an earlier wave stays at 100, the current one has the merged weight, a later one 0.
 * Where a revision first appears there is no block for it: the first wave has the first step's weight,
 * whatever a left-over block says, because merging the change was the approval to start.
 */
export function ceiling(release: Release, canary: CanaryStrategy, head: Version, rollout: Rollout | undefined, wave: string): Percent {
  const block = rollout?.canary?.revision === head.revision ? rollout.canary : undefined;
  const order = release.waves.map((w) => w.name);
  const mine = order.indexOf(wave);
  const current = block === undefined ? 0 : order.indexOf(block.wave);
  if (mine < current) return percent(100);
  if (mine > current) return percent(0);
  return block?.weight ?? canary.steps[0]?.weight ?? percent(0);
}
