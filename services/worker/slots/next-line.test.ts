import { describe, expect, it } from 'vitest';
import { blockedForMs, nextLine } from './next-line.ts';
import { beginCall, createSlotGroup, lineOf, type SlotGroup } from './slot-group.ts';
import { createActionPool, createWorkerPool } from './slot-pool.ts';
import { worksOf } from './test-works.ts';

const nowMs = 10_000;

/** Creates a shard with two feeds. A call of the first feed began at `nowMs`, and does not end. */
function shardWithHangingCall(concurrency = 10) {
  const pool = createActionPool(concurrency);
  const shard = { actionType: 'award-reward', country: 'SG' };
  const group = createSlotGroup({
    topic: 'award-reward.sg',
    shard,
    pool,
    minConcurrency: 1,
    rate: null,
    random: () => 0.5,
  });
  const hanging = lineOf(group, 'hanging', nowMs);
  hanging.inFlight = 1;
  lineOf(group, 'other', nowMs);
  return { group, hanging };
}

describe('the time until a blocked shard may make its next call', () => {
  it('is the rest of the pause that the endpoint requested', () => {
    const { group } = shardWithHangingCall();
    group.adaptive.onEnd({
      startedMs: nowMs,
      nowMs,
      inFlight: 1,
      isSlower: false,
      pressure: 'throttled',
      pauseMs: 3000,
    });
    expect(blockedForMs(group, false, nowMs + 1000)).toBe(2000);
  });

  it('is the time until a hanging call counts as stuck, if another feed waits and the shard is not paused', () => {
    const { group, hanging } = shardWithHangingCall();
    expect(blockedForMs(group, false, nowMs + 1)).toBe(hanging.guard.stuckAfterMs - 1);
  });

  it('is infinite if no other feed waits for the slots of the feed with the hanging call', () => {
    const { group } = shardWithHangingCall();
    group.lines.delete('other');
    expect(blockedForMs(group, false, nowMs + 1)).toBe(Number.POSITIVE_INFINITY);
    expect(blockedForMs(group, true, nowMs + 1)).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  it('is infinite when a call of the shard already counts as stuck, because its slot is then lent', () => {
    const { group, hanging } = shardWithHangingCall();
    expect(blockedForMs(group, true, nowMs + hanging.guard.stuckAfterMs)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the next calls of a shard', () => {
  /** Adds steps of the feed to its line, as claims do. */
  function add(group: SlotGroup, feedId: string, runId: string): void {
    for (const work of worksOf(feedId, 50)) lineOf(group, feedId, nowMs, runId).waiting.push(work);
    group.waiting += 50;
  }

  function begunCalls(group: SlotGroup, count: number): string[] {
    const total = createWorkerPool(1000);
    return Array.from({ length: count }, (_, turn) => {
      const next = nextLine([group], total, nowMs);
      if (!next) throw new Error('no line may call');
      next.line.waiting.take(1);
      beginCall(group, next.line, turn + 1, nowMs);
      return next.line.feedId;
    });
  }

  it('are shared evenly by the runs, however many variants a run has, and within a run by its variants', () => {
    const { group } = shardWithHangingCall(64);
    group.lines.clear();
    for (const variant of ['v1', 'v2', 'v3', 'v4']) add(group, variant, 'with-variants');
    add(group, 'whole', 'without-variants');
    const begun = begunCalls(group, 8);
    expect(begun.filter((feedId) => feedId === 'whole')).toHaveLength(4);
    expect(begun.filter((feedId) => feedId !== 'whole').toSorted()).toEqual(['v1', 'v2', 'v3', 'v4']);
  });
});
