import { describe, expect, it } from 'vitest';
import { heldBackForMs } from './next-line.ts';
import { createSlotGroup, lineOf } from './slot-group.ts';
import { createActionPool } from './slot-pool.ts';

const nowMs = 10_000;

/** Creates a shard with two feeds. A call of the first feed began at `nowMs`, and does not end. */
function shardWithHangingCall() {
  const pool = createActionPool(10);
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
    expect(heldBackForMs(group, false, nowMs + 1000)).toBe(2000);
  });

  it('is the time until a hanging call counts as stuck, if another feed waits and the shard is not paused', () => {
    const { group, hanging } = shardWithHangingCall();
    expect(heldBackForMs(group, false, nowMs + 1)).toBe(hanging.guard.stuckAfterMs - 1);
  });

  it('is infinite if no other feed waits for the slots of the feed with the hanging call', () => {
    const { group } = shardWithHangingCall();
    group.lines.delete('other');
    expect(heldBackForMs(group, false, nowMs + 1)).toBe(Number.POSITIVE_INFINITY);
    expect(heldBackForMs(group, true, nowMs + 1)).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  it('is infinite when a call of the shard already counts as stuck, because its slot is then lent', () => {
    const { group, hanging } = shardWithHangingCall();
    expect(heldBackForMs(group, true, nowMs + hanging.guard.stuckAfterMs)).toBe(Number.POSITIVE_INFINITY);
  });
});
