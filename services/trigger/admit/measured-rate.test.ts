import { expect, it } from 'vitest';
import { measureRate, ratePerSecond, unmeasured, type MeasuredRate } from './measured-rate.ts';

function measuredFor(reads: number, batchesPerRead: number, from: MeasuredRate = unmeasured): MeasuredRate {
  return Array.from({ length: reads }).reduce<MeasuredRate>((rate) => measureRate(rate, batchesPerRead, 100), from);
}

it('the rate of a shard is measured after half a second of work', () => {
  expect(ratePerSecond(unmeasured)).toBe(0);
  expect(ratePerSecond(measuredFor(5, 50))).toBeCloseTo(500);
  expect(ratePerSecond(measuredFor(100, 50))).toBeCloseTo(500);
});

it('the rate of a shard is not overestimated if the first poll sees the results of a single flush', () => {
  expect(ratePerSecond(measureRate(unmeasured, 50, 20))).toBeLessThan(125);
});

it('the rate of a shard follows a change within a few seconds', () => {
  const quick = measuredFor(100, 50);
  expect(ratePerSecond(measuredFor(20, 0, quick))).toBeCloseTo(500 / Math.E, -1);
  expect(ratePerSecond(measureRate(quick, 0, 60_000))).toBeCloseTo(0);
  expect(measureRate(quick, 10, 0)).toEqual(quick);
});
