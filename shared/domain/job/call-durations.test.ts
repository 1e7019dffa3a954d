import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  callDurationBuckets,
  callsIn,
  durationAtMostMs,
  durationBucketOf,
  sumOfDurations,
  writtenDurations,
} from './call-durations.ts';

const counts = z.record(z.string(), z.number());

/** Returns the written and read histogram of calls with these durations in milliseconds. */
function countsOf(...tookMs: number[]) {
  const buckets = Array.from({ length: callDurationBuckets }, () => 0);
  for (const ms of tookMs) {
    const bucket = durationBucketOf(ms);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  return counts.parse(JSON.parse(writtenDurations(buckets)));
}

const times = (calls: number, ms: number) => Array.from({ length: calls }, () => ms);

describe('the histogram of call durations', () => {
  it('counts each call in the bucket with the smallest sufficient upper bound', () => {
    expect(countsOf(0, 10, 10.1, 25, 26, 250, 251, 60_000, 60_001)).toEqual({
      10: 2,
      25: 2,
      50: 1,
      250: 1,
      500: 1,
      60000: 1,
      over: 1,
    });
    expect(countsOf()).toEqual({});
  });

  it('has a 95th percentile: the bucket bound within which 95 % of the calls lie', () => {
    expect(durationAtMostMs(countsOf(...times(95, 200), ...times(5, 9000)), 0.95)).toBe(250);
    expect(durationAtMostMs(countsOf(...times(94, 200), ...times(6, 9000)), 0.95)).toBe(10_000);
    expect(durationAtMostMs(countsOf(7), 0.95)).toBe(10);
    expect(durationAtMostMs(countsOf(1, 300), 0.95)).toBe(500);
  });

  it('has no percentile without calls or above the last bound', () => {
    expect(durationAtMostMs({}, 0.95)).toBeNull();
    expect(durationAtMostMs(countsOf(5, 61_000), 0.95)).toBeNull();
  });

  it('is summed over processes, even with other bounds', () => {
    const sum = sumOfDurations([{ 250: 90 }, { 250: 4, 500: 2 }, { 300: 4, over: 1 }]);
    expect(sum).toEqual({ 250: 94, 300: 4, 500: 2, over: 1 });
    expect(callsIn(sum)).toBe(101);
    expect(durationAtMostMs(sum, 0.95)).toBe(300);
  });
});
