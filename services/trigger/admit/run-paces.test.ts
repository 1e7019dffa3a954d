import { describe, expect, it } from 'vitest';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';
import { createRunPaces } from './run-paces.ts';

function loadOf(feedId: string, changes: Partial<FeedLoad> = {}): FeedLoad {
  const facts = {
    country: 'SG',
    chain: [],
    checks: [],
    quietSteps: [],
    share: 1,
    priority: 'normal',
    complete: false,
    held: false,
  } as const;
  const numbers = { paceAllows: 1000, batchUsers: 100, fedBatches: 0, fromStep: 1 };
  return { ...facts, ...numbers, feedId, runId: 'run', steps: [], ...changes };
}

const store = (left: Record<string, number>): Pick<FeedStore, 'takePace'> => ({
  takePace: (requested) =>
    Promise.resolve(
      new Map(
        requested.flatMap(({ runId, batches }) =>
          runId in left ? [[runId, Math.min(batches, left[runId] ?? 0)]] : [],
        ),
      ),
    ),
});

describe('the pace of a run in one of several triggers', () => {
  it('is divided among the incomplete feeds of this trigger and of other triggers', () => {
    const loads = ['a', 'b', 'c', 'd'].map((feedId) => loadOf(feedId, { complete: feedId === 'd' }));
    const of = (own: string[]) => createRunPaces(loads, (feedId) => own.includes(feedId)).of(loadOf('a'))?.batches;
    expect(of(['a'])).toBe(3);
    expect(of(['a', 'b', 'd'])).toBe(6);
    expect(of(['a', 'b', 'c'])).toBe(10);
    expect(of(['d'])).toBe(0);
  });

  it('goes to the first trigger that requests it if it is less than a batch per feed', () => {
    const loads = ['a', 'b', 'c'].map((feedId) => loadOf(feedId, { paceAllows: 150 }));
    const of = (own: string[]) => createRunPaces(loads, (feedId) => own.includes(feedId)).of(loadOf('a'))?.batches;
    expect(of(['b'])).toBe(1);
    expect(createRunPaces([loadOf('a', { paceAllows: 99 })], () => true).of(loadOf('a'))).toEqual({
      runId: 'run',
      batches: 0,
    });
  });

  it('is counted in batches of the run', () => {
    const loads = [loadOf('a', { paceAllows: 1000, batchUsers: 250 })];
    expect(createRunPaces(loads, () => true).of(loadOf('a'))?.batches).toBe(4);
  });

  it('is null for a run without a pace', async () => {
    const free = loadOf('a', { paceAllows: null });
    const paces = createRunPaces([free], () => true);
    expect(paces.of(free)).toBeNull();
    const admitted = { grants: new Map([['a', 7]]), turns: new Map([['a', 1]]) };
    expect(await paces.keepTo(admitted, new Map(), store({ run: 0 }))).toEqual(admitted);
  });

  it('reduces grants if another trigger has used up the pace, and a feed without a grant keeps its turn', async () => {
    const loads = [loadOf('a'), loadOf('b'), loadOf('other', { runId: 'free', paceAllows: null })];
    const paces = createRunPaces(loads, () => true);
    const grants = new Map([
      ['a', 4],
      ['b', 4],
      ['other', 9],
    ]);
    const turns = new Map([
      ['a', 11],
      ['b', 12],
      ['other', 13],
    ]);
    const kept = await paces.keepTo({ grants, turns }, new Map([['b', 2]]), store({ run: 4 }));
    expect(Object.fromEntries(kept.grants)).toEqual({ a: 4, other: 9 });
    expect(Object.fromEntries(kept.turns)).toEqual({ a: 11, b: 2, other: 13 });
  });
});
