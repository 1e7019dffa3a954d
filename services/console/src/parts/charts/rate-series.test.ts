import { describe, expect, it } from 'vitest';
import { createRateSeries, scaleTop, summaryOf } from './rate-series.ts';

const point = (atMs: number, perSecond = 1) => ({ atMs, perSecond });

describe('the points of a rate line', () => {
  it('are appended in order, and older ones are ignored', () => {
    const series = createRateSeries();
    let changes = 0;
    series.subscribe(() => (changes += 1));
    series.push(point(1));
    series.push(point(2));
    series.push(point(2));
    expect(series.points().map(({ atMs }) => atMs)).toEqual([1, 2]);
    expect(changes).toBe(2);
  });

  it('can be preceded by earlier points that arrive later, without duplicates', () => {
    const series = createRateSeries();
    series.push(point(10));
    series.prepend([point(8), point(9), point(10), point(11)]);
    expect(series.points().map(({ atMs }) => atMs)).toEqual([8, 9, 10]);
  });

  it('are thinned out if they are old, and stay exact if they are new', () => {
    const series = createRateSeries();
    for (let at = 1; at <= 5000; at += 1) series.push(point(at));
    expect(series.points().length).toBeLessThanOrEqual(1200);
    expect(
      series
        .points()
        .slice(-3)
        .map(({ atMs }) => atMs),
    ).toEqual([4998, 4999, 5000]);
    expect(series.points()[0]?.atMs).toBe(1);
  });

  it('are summarized in three numbers', () => {
    expect(summaryOf([point(5, 800), point(6, 1180), point(7, 684)])).toEqual({ now: 684, highest: 1180, sinceMs: 5 });
    expect(summaryOf([])).toBeNull();
  });
});

describe('the scale of a rate line', () => {
  it.each([
    [0, 10],
    [1180, 1500],
    [830, 1000],
    [7, 8],
    [4000, 4000],
  ])('for a highest rate of %d users per second ends at %d', (highest, top) => {
    expect(scaleTop(highest)).toBe(top);
  });
});
