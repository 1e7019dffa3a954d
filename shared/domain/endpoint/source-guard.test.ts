import { beforeEach, describe, expect, it } from 'vitest';
import { createSourceGuard, type SourceGuard, type GuardedCall } from './source-guard.ts';

describe('the guard of a feed', () => {
  let guard: SourceGuard;
  let nowMs: number;
  beforeEach(() => {
    guard = createSourceGuard({
      id: 'f',
      minConcurrency: 1,
      maxConcurrency: 40,
      firstCalls: 4,
      random: () => 0.999_999,
    });
    nowMs = 1000;
  });

  /** @returns true if this call changes the feed to troubled */
  function end(over: Partial<GuardedCall> & { tookMs?: number } = {}): boolean {
    const { tookMs = 20, ...call } = over;
    const wasTroubled = guard.isTroubled;
    guard.onEnd({
      end: 'answered',
      startedMs: nowMs - tookMs,
      nowMs,
      inFlight: 4,
      pressure: null,
      retryAfterMs: null,
      isOwnMatter: true,
      ...call,
    });
    return guard.isTroubled && !wasTroubled;
  }
  const fail = (over: Partial<GuardedCall> = {}) => end({ end: 'unanswered', tookMs: 0, ...over });
  const allowed = () => guard.allowed(nowMs);

  it('allows one more call with each answer, but not with a failure', () => {
    end();
    end();
    expect(allowed()).toBe(6);
    fail();
    expect(allowed()).toBe(6);
  });

  it('pauses the feed when its failures in a row reach its number of concurrent calls, if other feeds are answered', () => {
    expect([fail(), fail(), fail(), fail()]).toEqual([false, false, false, true]);
    expect([guard.isTroubled, allowed(), guard.waitMs(nowMs)]).toEqual([true, 0, 500]);
  });

  it('pauses the feed after ten failures if no other feed is answered', () => {
    const ends = Array.from({ length: 10 }, () => fail({ isOwnMatter: false }));
    expect(ends.indexOf(true)).toBe(9);
  });

  it('counts only failures in a row', () => {
    for (let round = 0; round < 5; round++) {
      for (let call = 0; call < 3; call++) fail();
      end();
    }
    expect(guard.isTroubled).toBe(false);
  });

  it('allows one call after a pause that doubles with each failure, up to five seconds', () => {
    for (let call = 0; call < 4; call++) fail();
    const waits: number[] = [];
    for (let probe = 0; probe < 6; probe++) {
      waits.push(guard.waitMs(nowMs));
      nowMs += guard.waitMs(nowMs);
      expect(allowed()).toBe(1);
      fail();
      expect(allowed()).toBe(0);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
  });

  it('ignores calls that were in flight before the pause', () => {
    for (let call = 0; call < 4; call++) fail();
    nowMs += 400;
    fail({ startedMs: nowMs - 500 });
    end({ tookMs: 500 });
    expect([guard.isTroubled, guard.waitMs(nowMs)]).toEqual([true, 100]);
  });

  it('allows two calls after the first answer, and one more with each further answer', () => {
    for (let call = 0; call < 12; call++) end();
    for (let call = 0; call < 10; call++) fail();
    nowMs += 500;
    end({ startedMs: nowMs });
    expect([guard.isTroubled, allowed()]).toEqual([false, 2]);
    for (let call = 0; call < 5; call++) end();
    expect(allowed()).toBe(7);
  });

  it('halves its limit when calls time out, down to one call, and pauses for Retry-After', () => {
    for (let call = 0; call < 40; call++) end();
    fail({ pressure: 'timed-out', inFlight: 40 });
    expect(allowed()).toBe(20);
    fail({ pressure: 'throttled', retryAfterMs: 3000 });
    expect([allowed(), guard.waitMs(nowMs)]).toEqual([0, 3000]);
    nowMs += 3000;
    expect(allowed()).toBeGreaterThanOrEqual(1);
  });

  it('ends its pause when the breaker of the shard closes', () => {
    for (let call = 0; call < 4; call++) fail({ pressure: 'timed-out' });
    guard.onSlowStart();
    expect([guard.isTroubled, allowed()]).toEqual([false, 4]);
  });

  it('counts a call as stuck after several normal durations, or after a second if no duration is known', () => {
    expect(guard.stuckAfterMs).toBe(1000);
    end({ tookMs: 20 });
    expect(guard.stuckAfterMs).toBe(500);
    for (let call = 0; call < 100; call++) end({ tookMs: 1000 });
    expect(guard.stuckAfterMs).toBeGreaterThan(3900);
  });

  it('does not count faults of configuration', () => {
    for (let call = 0; call < 50; call++) end({ end: 'misconfigured' });
    expect([guard.isTroubled, guard.isFailing]).toEqual([false, true]);
  });
});
