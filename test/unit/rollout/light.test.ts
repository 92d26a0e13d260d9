import test from 'ava';
import fc from 'fast-check';
import { fall } from '../../../src/rollout/falling.ts';
import { podsFor, towards } from '../../../src/rollout/light.ts';
import type { Move, Observed, Side, Target } from '../../../src/rollout/types.ts';
import { percent } from '../../../src/units.ts';
import { seen, side } from './observed.ts';

/** What a move says, without its sentence. */
const bare = (move: Move) =>
  move.to === 'go' ? { to: 'go', weight: Number(move.target.weight), ...move.target.pods['shop'] } : { to: move.to };

const moves = test.macro((t, observed: Observed, goal: number, then: ReturnType<typeof bare>) =>
  t.deepEqual(bare(towards(observed, percent(goal))), then),
);

test(
  'given nothing of the canary, when it shall have 10 %, then its first pod comes before its traffic',
  moves,
  seen(0, side(4), side(0)),
  10,
  { to: 'go', weight: 0, stable: 4, canary: 1 },
);
test('given a canary pod that is not ready, then the weight waits', moves, seen(0, side(4), side(1, 0)), 10, { to: 'wait' });
test('given a ready canary pod, then the weight moves and no pod goes', moves, seen(0, side(4), side(1)), 10, {
  to: 'go',
  weight: 10,
  stable: 4,
  canary: 1,
});
test(
  'given a weight that is not proven, then no pod goes',
  moves,
  seen(50, side(4), side(2), { is: 'not yet', saw: 'settling', lookAgainIn: 1 as never }),
  50,
  { to: 'wait' },
);
test(
  'given a router that cannot tell, then no pod goes either',
  moves,
  seen(50, side(4), side(2), { is: 'cannot know', saw: 'no route' }),
  50,
  { to: 'wait' },
);
test('given 50 % proven, then the stable pods without traffic go', moves, seen(50, side(4), side(2)), 50, {
  to: 'go',
  weight: 50,
  stable: 2,
  canary: 2,
});
test('given 50 % with all pods in place, then there is nothing to do', moves, seen(50, side(2), side(2)), 50, { to: 'done' });
test('given 50 %, when it shall have 10 %, then stable rises first', moves, seen(50, side(2), side(2)), 10, {
  to: 'go',
  weight: 50,
  stable: 4,
  canary: 2,
});
test('given 10 % of four pods, then stable keeps all four: 90 % is carried by 3.6', moves, seen(10, side(4), side(1)), 10, { to: 'done' });
test('given 0 % proven, then the sibling goes', moves, seen(0, side(4), side(2)), 0, { to: 'go', weight: 0, stable: 4, canary: 0 });
test('given stable scaled down by hand at 50 %, then it rises again before anything else', moves, seen(50, side(1), side(2)), 50, {
  to: 'go',
  weight: 50,
  stable: 2,
  canary: 2,
});

const falls = test.macro((t, observed: Observed, then: ReturnType<typeof bare>) => t.deepEqual(bare(fall(observed)), then));

test(
  'given an abort at 50 %, then stable is asked for its full size and the weight waits for its pods',
  falls,
  seen(50, side(2), side(2)),
  { to: 'go', weight: 50, stable: 4, canary: 2 },
);
test('given three of four stable pods ready in an abort, then stable carries 75 %', falls, seen(50, side(4, 3), side(2)), {
  to: 'go',
  weight: 25,
  stable: 4,
  canary: 2,
});
test(
  'given all stable pods ready in an abort, then the weight is zero and the canary still has its pods',
  falls,
  seen(50, side(4), side(2)),
  { to: 'go', weight: 0, stable: 4, canary: 2 },
);
test('given canary pods that are not ready in an abort, then their share moves at once', falls, seen(50, side(2), side(2, 0)), {
  to: 'go',
  weight: 0,
  stable: 4,
  canary: 2,
});
test(
  'given an abort at 0 % that is not proven, then the canary keeps its pods',
  falls,
  seen(0, side(4), side(2), { is: 'not yet', saw: 'settling', lookAgainIn: 1 as never }),
  { to: 'wait' },
);
test('given an abort at 0 % proven, then the canary goes', falls, seen(0, side(4), side(2)), { to: 'go', weight: 0, stable: 4, canary: 0 });
test('given an abort with nothing left of the canary, then it is done', falls, seen(0, side(4), side(0)), { to: 'done' });

/** A cluster that obeys: pods asked for become ready some of them at a time. */
function obey(observed: Observed, target: Target, ready: (asked: number, was: number) => number): Observed {
  const next = (was: Side, asked: number): Side => ({
    ...was,
    exists: asked > 0,
    replicas: asked,
    ready: Math.min(asked, ready(asked, was.ready)),
  });
  return {
    ...observed,
    weight: target.weight,
    workloads: observed.workloads.map((w) => ({
      ...w,
      stable: next(w.stable, target.pods[w.name]?.stable ?? 0),
      canary: next(w.canary, target.pods[w.name]?.canary ?? 0),
    })),
  };
}

test('given any size and any walk of weights, then traffic never goes where no ready pod carries it, and the total stays within size and surge', (t) => {
  const walk = fc.record({
    size: fc.integer({ min: 1, max: 300 }),
    goals: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 6 }),
    luck: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }),
  });
  fc.assert(
    fc.property(walk, ({ size, goals, luck }) => {
      let observed = seen(0, side(size), side(0), { is: 'proven' }, size);
      for (const goal of goals) {
        const from = observed.weight;
        for (let look = 0; look < 400; look += 1) {
          const move = towards(observed, percent(goal));
          if (move.to === 'done') break;
          const { stable, canary } = observed.workloads[0] as Observed['workloads'][number];
          const target =
            move.to === 'go'
              ? move.target
              : { weight: observed.weight, pods: { shop: { stable: stable.replicas, canary: canary.replicas } } };
          observed = obey(observed, target, (asked, was) =>
            Math.min(asked, was + Math.ceil((size * (luck[look % luck.length] ?? 1)) / 4) + 1),
          );
          const now = observed.workloads[0] as Observed['workloads'][number];
          const surge = podsFor(Math.abs(goal - from), size) + 1;
          if (now.canary.ready < podsFor(observed.weight, size) || now.stable.ready < podsFor(100 - observed.weight, size)) return false;
          if (now.canary.replicas + now.stable.replicas > size + surge + 1) return false;
        }
        if (towards(observed, percent(goal)).to !== 'done') return false;
      }
      return true;
    }),
  );
  t.pass();
});
