import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { createDispatcher } from '../../services/dispatcher/assemble-dispatcher.ts';
import { claimProtections } from '../mutations/claim-mutations.ts';
import type { Mutation } from '../mutations/mutation.ts';
import { copyTree, writeEdits } from '../mutations/tree.ts';
import { troubled } from './callback-scenarios.ts';
import { callLeaseMs, runCallbacks, wellAnswer, type CallbackScenario, type Stall } from './callback-world.ts';
import type { Chance } from './seeded.ts';

interface Stalled {
  dispatchers: number;
  seed: number;
  /** Each client has 100 ordering keys. */
  hasKeys?: boolean;
}

/** A stream of jobs for clients of concurrency 1, 2 and 5 beside stores that are slow. */
function stalled(stallOf: (chance: Chance) => Stall, { dispatchers, seed, hasKeys }: Stalled): CallbackScenario {
  const scenario = troubled(seed);
  const { chance } = scenario;
  return {
    ...scenario,
    jobs: 30,
    faultsLastMs: 0,
    dispatchers,
    callMs: 100,
    quietMs: 40_000,
    isScarce: false,
    concurrencyOf: (client) => [1, 2, 5][client] ?? 1,
    ...(hasKeys && { ordering: chance.pick(['exclusive', 'in-order'] as const), keys: 100 }),
    stall: stallOf(chance),
    fateOf: () => 'pass',
    messageFate: () => 'keep',
    answerOf: () => wellAnswer,
    lateMs: () => 0,
    latestMs: 10_000,
  };
}

/** A stall of some seconds in which some or all calls of a store take up to a lease. */
function upToALease(chance: Chance): Stall {
  const share = chance.pick([1, 0.3, 0.1]);
  const slowMs = () => (chance.happens(share) ? chance.below(callLeaseMs) : 0);
  return { afterMs: 1500, forMs: 3000 + chance.below(6000), slowMs };
}

/** A permanent stall in which each flush takes 100 to 500 ms. */
function slowFlushes(chance: Chance): Stall {
  const slowMs = (method: string) => (method === 'flush' ? 100 + chance.below(400) : 0);
  return { afterMs: 0, forMs: Infinity, slowMs };
}

const cases = [1, 2, 3].flatMap((dispatchers) =>
  [1, 2, 3].flatMap((seed) => [false, true].map((hasKeys) => ({ dispatchers, seed, hasKeys }))),
);

describe('jobs of clients with concurrency 1, 2 and 5, with and without 100 ordering keys', () => {
  it.each(cases)(
    'are called within 10 s after a stall in which database calls take up to a lease: %o',
    async (each) => {
      expect(await runCallbacks(stalled(upToALease, each))).toEqual([]);
    },
  );

  it.each(cases.filter(({ seed }) => seed === 1))(
    'are called within 10 s with flushes of 100 to 500 ms: %o',
    async (each) => {
      expect(await runCallbacks(stalled(slowFlushes, each))).toEqual([]);
    },
  );
});

type CreateDispatcher = typeof createDispatcher;

function hasDispatcher(module: unknown): module is { createDispatcher: CreateDispatcher } {
  return typeof module === 'object' && module !== null && 'createDispatcher' in module;
}

describe('the checks of the simulation detect uncalled jobs when', () => {
  const trees: string[] = [];
  afterAll(() => Promise.all(trees.map((tree) => rm(tree, { recursive: true, force: true }))));

  /** Returns the dispatcher from a copy of the sources without these protections. */
  async function dispatcherWithout(...protections: readonly Pick<Mutation, 'edits'>[]): Promise<CreateDispatcher> {
    const tree = await copyTree(['services/dispatcher', 'shared', 'package.json']);
    trees.push(tree);
    await writeEdits(
      tree,
      protections.flatMap(({ edits }) => edits),
    );
    const weakened: unknown = await import(path.join(tree, 'services/dispatcher/assemble-dispatcher.ts'));
    if (!hasDispatcher(weakened)) throw new Error('the copy has no dispatcher');
    return weakened.createDispatcher;
  }

  async function uncalledBy(create: CreateDispatcher, stall: typeof upToALease, dispatchers: number): Promise<string> {
    const found: string[] = [];
    const isUncalled = (violation: string) => violation.includes('never called');
    for (let seed = 1; seed <= 20 && !found.some(isUncalled); seed++) {
      found.push(...(await runCallbacks({ ...stalled(stall, { dispatchers, seed }), createDispatcher: create })));
    }
    return found.join();
  }
  const { turnsBegin, claimsKeepTheirPart, claimsKeepTheirLease } = claimProtections;

  it('claimed jobs wait for an event without a time-out', async () => {
    const create = await dispatcherWithout(...Object.values(claimProtections));
    expect(await uncalledBy(create, upToALease, 2)).toContain('never called');
  });

  it('claims lose their slots while they are written, even if each is released after two seconds', async () => {
    const create = await dispatcherWithout(turnsBegin, claimsKeepTheirPart, claimsKeepTheirLease);
    expect(await uncalledBy(create, slowFlushes, 2)).toContain('never called');
  });
});
