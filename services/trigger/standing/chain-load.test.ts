import { describe, expect, it } from 'vitest';
import { chainLoadOf } from './chain-load.ts';
import type { FeedLoad, FlowCounts } from '../ports/feed-store.ts';

const flowOf = (counts: Partial<FlowCounts>): FlowCounts => ({
  done: 0,
  survived: 0,
  created: 0,
  waiting: 0,
  ...counts,
});

function loadOf(fedBatches: number, steps: Partial<FlowCounts>[], changes: Partial<FeedLoad> = {}): FeedLoad {
  const chain = steps.map((_, index) => `action-${index + 1}`);
  const feed = {
    feedId: 'feed',
    runId: 'run',
    country: 'SG',
    priority: 'normal',
    complete: false,
    held: false,
  } as const;
  const pace = { paceAllows: null, batchUsers: 100 };
  return {
    ...feed,
    ...pace,
    chain,
    checks: [],
    quietSteps: [],
    share: 1,
    fedBatches,
    fromStep: 1,
    steps: steps.map(flowOf),
    ...changes,
  };
}

describe('the load of a feed', () => {
  it('counts batches that are ready in a shard or in an earlier step', () => {
    const { loads } = chainLoadOf(
      loadOf(100, [{ done: 60, survived: 55 }, { done: 30, survived: 30 }, { done: 29 }]),
      5,
    );
    expect(Object.fromEntries(loads)).toEqual({ 'action-1/SG': 45, 'action-2/SG': 70, 'action-3/SG': 71 });
  });

  it('does not include waiting batches, which are counted on their own', () => {
    const { loads, waiting } = chainLoadOf(
      loadOf(10, [{ done: 2, survived: 1, created: 3, waiting: 4 }, { waiting: 1 }]),
      0,
    );
    expect(Object.fromEntries(loads)).toEqual({ 'action-1/SG': 7, 'action-2/SG': 7 });
    expect(waiting).toBe(5);
  });

  it('counts a shard that occurs twice in a chain once, with all steps up to the later one', () => {
    const load = loadOf(10, [{ done: 4, survived: 4 }, { done: 2, survived: 2 }, { done: 1 }], {
      chain: ['a', 'b', 'a'],
    });
    const { loads, done, depths } = chainLoadOf(load, 0);
    expect(Object.fromEntries(loads)).toEqual({ 'a/SG': 9, 'b/SG': 8 });
    expect(Object.fromEntries(done)).toEqual({ 'a/SG': 5, 'b/SG': 2 });
    expect(Object.fromEntries(depths)).toEqual({ 'a/SG': 3, 'b/SG': 2 });
  });

  it("counts batches that are ready in a step as the load of the step's check too", () => {
    const load = loadOf(10, [{ done: 4, survived: 4 }, { done: 1 }], { checks: [null, 'caps'] });
    const { loads, done } = chainLoadOf(load, 0);
    expect(Object.fromEntries(loads)).toEqual({ 'action-1/SG': 6, 'caps/SG': 9, 'action-2/SG': 9 });
    expect(done.get('caps/SG')).toBe(1);
  });

  it('ignores batches that wait for the end of quiet hours', () => {
    const load = loadOf(10, [{ done: 8, survived: 8, waiting: 1 }, { waiting: 8 }], { quietSteps: [2] });
    expect(chainLoadOf(load, 0).waiting).toBe(1);
  });
});
