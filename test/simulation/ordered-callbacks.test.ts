import { describe, expect, it } from 'vitest';
import type { KeyAdvancer } from '../../shared/ports/ordered-keys.ts';
import { troubled } from './callback-scenarios.ts';
import { runCallbacks, type CallbackScenario } from './callback-world.ts';

const deaths = ['die-before', 'die-after', 'throw-before', 'throw-after'] as const;
const orderings = ['exclusive', 'in-order'] as const;

/**
 * A scenario in which processes die and commits are lost, but none is frozen during a call, because this checker cannot
 * judge calls that are sent after their lease. A job is due at its acceptance or later.
 */
function ordered(seed: number, ordering: (typeof orderings)[number]): CallbackScenario {
  const scenario = troubled(seed);
  const { chance } = scenario;
  const fateOf = () => (chance.happens(0.004) ? chance.pick(deaths) : 'pass');
  return { ...scenario, jobs: 30, ordering, fateOf, lateMs: () => 0 };
}

const inBoth = orderings.flatMap((ordering) => [1, 2, 3, 4].map((seed) => [ordering, seed] as const));

describe('jobs with the same ordering key under faults', () => {
  it.each(inBoth)('are never called concurrently or out of order: %s, walk %i', async (ordering, seed) => {
    expect(await runCallbacks(ordered(seed, ordering))).toEqual([]);
  });

  it.each(inBoth)(
    'are never called concurrently or out of order after one of two regions is switched off: %s, walk %i',
    async (ordering, seed) => {
      const regions = { regions: ['local', 'east'], switchAfterMs: 6100 };
      expect(await runCallbacks({ ...ordered(seed, ordering), ...regions })).toEqual([]);
    },
  );
});

/** A checker that never fails proves nothing, so each protection is removed once. */
describe('the checks of order detect that', () => {
  const foundBy = async (weaken: (seed: number) => CallbackScenario) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 10 && found.length === 0; seed++) found.push(...(await runCallbacks(weaken(seed))));
    return found.join();
  };

  it('a job can be claimed while its lease runs', async () => {
    const found = await foundBy((seed) => {
      const scenario = ordered(seed, 'in-order');
      return {
        ...scenario,
        // The dispatcher dies long before its receiver has finished.
        answerOf: () => 'hang',
        fateOf: (_process, { method }) => (method === 'call' && scenario.chance.happens(0.2) ? 'die-before' : 'pass'),
        weaken: (ledger, { fires, clock }) => ({
          flush: (work) => {
            for (const fire of fires.values()) Object.assign(fire, { leaseUntilMs: clock.nowMs() - 1 });
            return ledger.flush(work);
          },
        }),
      };
    });
    expect(found).toContain('of its key is');
  });

  const advanceAnyway =
    (pick: 'first' | 'last') =>
    (keys: KeyAdvancer, { jobs, clock }: Weakened) => ({
      ...keys,
      advance: () => {
        const waiting = [...jobs.values()].filter(({ dueAtMs, sideline }) => dueAtMs === Infinity && sideline === null);
        const next = pick === 'first' ? waiting[0] : waiting.at(-1);
        if (next) jobs.set(next.jobId, { ...next, dueAtMs: clock.nowMs() });
        return Promise.resolve();
      },
    });

  it('a key is advanced while one of its jobs is active', async () => {
    const found = await foundBy((seed) => ({ ...ordered(seed, 'exclusive'), weakenKeys: advanceAnyway('first') }));
    expect(found).toContain('of its key is');
  });

  it('the last job of a key is advanced first', async () => {
    const found = await foundBy((seed) => ({ ...ordered(seed, 'in-order'), weakenKeys: advanceAnyway('last') }));
    expect(found).toContain('of its key has ended');
  });

  it('no scheduler sweeps keys left by dead processes', async () => {
    const found = await foundBy((seed) => ({
      ...ordered(seed, 'exclusive'),
      weakenKeys: (keys) => ({ ...keys, sweep: () => Promise.resolve(0) }),
    }));
    expect(found).toContain('never called');
  });
});

type Weakened = Parameters<NonNullable<CallbackScenario['weakenKeys']>>[1];
