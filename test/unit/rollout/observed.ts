import type { Observed, Proof, Side } from '../../../src/rollout/types.ts';
import { percent } from '../../../src/units.ts';

/** A side as tables write it: pods asked for, and how many of them are ready; all of them when not said. */
export function side(replicas: number, ready = replicas): Side {
  return { exists: replicas > 0, replicas, ready, revision: undefined };
}

/** One workload of four pods. */
export function seen(weight: number, stable: Side, canary: Side, proof: Proof = { is: 'proven' }, size = 4): Observed {
  return { workloads: [{ name: 'shop', size, stable, canary }], weight: percent(weight), proof };
}
