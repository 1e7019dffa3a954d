import { beforeEach, describe, expect, it } from 'vitest';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { failingBound } from './failing-feeds.ts';
import { beginCall, endCall, isServed, lineOf, type FeedLine, type SlotGroup } from './slot-group.ts';
import { createSlotGroups } from './slot-groups.ts';
import { configOf, topics } from './test-works.ts';

const shard = { actionType: 'award-reward', country: 'SG' };
const slots = 40;

describe('the slots for failing feeds', () => {
  let clock: SettableClock;
  let group: SlotGroup;
  let line: FeedLine;
  beforeEach(() => {
    clock = createSettableClock();
    const monotonicMs = () => clock.monotonicMs();
    const { actionTypes } = configOf(slots);
    const shards = new Map([[topics.shard(shard), shard]]);
    const groups = createSlotGroups({ shards, actionTypes, concurrency: slots, monotonicMs, random: () => 0.5 });
    group = groups.of(topics.shard(shard));
    line = lineOf(group, 'good', clock.monotonicMs());
  });

  const begin = () => beginCall(group, line, 1, clock.monotonicMs());
  /** Makes the other feed's call end with an answer after `tookMs`. */
  function answer(tookMs: number): void {
    clock.advance(tookMs);
    const nowMs = clock.monotonicMs();
    const call = { startedMs: nowMs - tookMs, nowMs, inFlight: 1, pressure: null, retryAfterMs: null };
    line.guard.onEnd({ ...call, end: 'answered', isOwnMatter: false });
    endCall(group, line, tookMs, nowMs);
  }
  const bound = () => failingBound(group, slots, clock.monotonicMs());

  it('are half of the slots until ten seconds after the last answer to another feed', () => {
    expect(bound()).toBe(Infinity);
    begin();
    answer(150);
    expect(bound()).toBe(20);
    clock.advance(9999);
    expect(bound()).toBe(20);
    clock.advance(1);
    expect(bound()).toBe(Infinity);
  });

  it('are half of the slots while another feed is called, even if its last call took more than ten seconds', () => {
    begin();
    answer(20_000);
    begin();
    clock.advance(15_000);
    expect(bound()).toBe(20);
    line.isLending = true;
    expect(bound()).toBe(Infinity);
  });

  it('are not limited because of a feed whose calls hang and end one after the other', () => {
    begin();
    answer(150);
    begin();
    begin();
    clock.advance(30_000);
    const nowMs = clock.monotonicMs();
    const call = { startedMs: nowMs - 30_000, nowMs, inFlight: 2, pressure: 'timed-out', retryAfterMs: null } as const;
    line.guard.onEnd({ ...call, end: 'unanswered', isOwnMatter: false });
    endCall(group, line, null, nowMs);
    expect(isServed(line, nowMs)).toBe(false);
  });
});
