import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

function limitOf(rate: { calls?: number; users?: number }) {
  const limit = createRateLimit(rate, 0);
  if (!limit) throw new Error('nothing limits it');
  return limit;
}

function bucketOf(limit: ReturnType<typeof limitOf>) {
  const [bucket] = limit.buckets;
  if (!bucket) throw new Error('it has no bucket');
  return bucket;
}

describe('the rate limit of an action type on one worker', () => {
  it('is null without a configured rate', () => {
    expect(createRateLimit(undefined, 0)).toBeNull();
    expect(createRateLimit({}, 0)).toBeNull();
  });

  it('allows no call without a share, or after the share has expired', () => {
    const limit = limitOf({ calls: 100 });
    expect(limit.waitMs(1, 1000)).toBe(Number.POSITIVE_INFINITY);
    bucketOf(limit).hold(100, 3000, 1000);
    expect(limit.waitMs(1, 2000)).toBe(0);
    expect(limit.waitMs(1, 3000)).toBe(Number.POSITIVE_INFINITY);
    expect(bucketOf(limit).using(3000)).toBe(0);
  });

  it('allows as many calls as its share, with a burst of one call plus 0.1 s of the share', () => {
    const limit = limitOf({ calls: 100 });
    bucketOf(limit).hold(50, 1e9, 0);
    let calls = 0;
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 7) {
      while (limit.waitMs(1, nowMs) === 0) {
        limit.take(1, nowMs);
        calls++;
      }
    }
    expect(calls).toBeGreaterThanOrEqual(499);
    expect(calls).toBeLessThanOrEqual(501);
    let atOnce = 0;
    while (limit.waitMs(1, 60_000) === 0) {
      limit.take(1, 60_000);
      atOnce++;
    }
    expect(atOnce).toBe(6);
  });

  it('returns the time until the next call is allowed, depending on its number of users', () => {
    const limit = limitOf({ users: 1000 });
    bucketOf(limit).hold(200, 1e9, 0);
    expect(limit.waitMs(100, 0)).toBe(500);
    expect(limit.waitMs(100, 400)).toBeCloseTo(100);
    expect(limit.waitMs(10, 400)).toBe(0);
    expect(limit.waitMs(100, 500)).toBe(0);
  });

  it('applies the limits of calls and of users, whichever is reached first', () => {
    const limit = limitOf({ calls: 10, users: 1000 });
    const [calls, users] = limit.buckets;
    calls?.hold(10, 1e9, 0);
    users?.hold(100, 1e9, 0);
    expect(limit.waitMs(1, 0)).toBe(100);
    expect(limit.waitMs(100, 0)).toBe(1000);
    expect(limit.callsIn(500, 10_000, 100, 0)).toBe(10);
    expect(limit.callsIn(500, 10_000, 1, 0)).toBe(100);
    expect(limit.callsIn(5, 10_000, 1, 0)).toBe(5);
  });

  it('requests the whole rate if it has no share, even before a call waits', () => {
    const limit = limitOf({ calls: 100 });
    bucketOf(limit).takeDemand(0);
    limit.callsIn(50, 10_000, 100, 10);
    expect(bucketOf(limit).takeDemand(1000)).toBe(100);
  });

  it('requests the whole rate if calls had to wait, otherwise a little more than it used', () => {
    const limit = limitOf({ calls: 100 });
    const bucket = bucketOf(limit);
    expect(bucket.takeDemand(0)).toBe(100);
    bucket.hold(100, 1e9, 0);
    for (let nowMs = 100; nowMs <= 1000; nowMs += 100) limit.take(1, nowMs);
    expect(bucket.takeDemand(1000)).toBeCloseTo(13.5);
    while (limit.waitMs(1, 1500) === 0) limit.take(1, 1500);
    expect(bucket.takeDemand(2000)).toBe(100);
    expect(bucket.takeDemand(3000)).toBeCloseTo(1);
  });
});
