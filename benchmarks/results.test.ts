import { describe, expect, it } from 'vitest';
import { median, percentile, ratioByRound, summarize } from './results.ts';

describe('benchmark figures', () => {
  it('use the middle value of an odd number of rounds and the mean of the two middle values of an even number', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('are compared round by round, so a change of machine speed between rounds has no effect', () => {
    const engine = [60, 120, 30].map((rate) => ({ rate, cpu: { worker: 100 } }));
    const bare = [100, 200, 50].map((rate) => ({ rate }));
    expect(summarize('engine', 'batches/s', engine, bare)).toMatchObject({ median: 60, min: 30, max: 120, ratio: 0.6 });
    expect(ratioByRound([10, 200, 3], [10, 100, 1])).toBe(2);
  });

  it('report as percentile a value that was measured, without interpolation', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(values, 0.5)).toBe(50);
    expect(percentile(values, 0.99)).toBe(99);
    expect(percentile([7], 0.99)).toBe(7);
  });
});
