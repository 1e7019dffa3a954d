import { expect, it } from 'vitest';
import { measureRate, ratePerSecond, unmeasured, type MeasuredRate } from './measured-rate.ts';

function measuredFor(looks: number, batchesPerLook: number, from: MeasuredRate = unmeasured): MeasuredRate {
  return Array.from({ length: looks }).reduce<MeasuredRate>((rate) => measureRate(rate, batchesPerLook, 100), from);
}

it('is known of a shard as soon as it has worked for half a second', () => {
  expect(ratePerSecond(unmeasured)).toBe(0);
  expect(ratePerSecond(measuredFor(5, 50))).toBeCloseTo(500);
  expect(ratePerSecond(measuredFor(100, 50))).toBeCloseTo(500);
});

it('is not taken for more than it is where a first look sees what one flush brought', () => {
  expect(ratePerSecond(measureRate(unmeasured, 50, 20))).toBeLessThan(125);
});

it('follows what changes within a few seconds', () => {
  const quick = measuredFor(100, 50);
  expect(ratePerSecond(measuredFor(20, 0, quick))).toBeCloseTo(500 / Math.E, -1);
  expect(ratePerSecond(measureRate(quick, 0, 60_000))).toBeCloseTo(0);
  expect(measureRate(quick, 10, 0)).toEqual(quick);
});
