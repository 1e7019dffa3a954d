import { describe, expect, it } from 'vitest';
import { runRatesView } from './rates-view.ts';

const startedAt = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(startedAt.getTime() + seconds * 1000);
const point = (seconds: number, ended: number) => ({ at: at(seconds), ended });
const pointsOf = (rates: ReturnType<typeof runRatesView>) =>
  rates.points.map(({ at: time, usersPerSecond }) => [Date.parse(time) - startedAt.getTime(), usersPerSecond]);

describe('the rates of a run', () => {
  it('are the mean rates between recorded points, from the start of the run', () => {
    const points = [point(4, 40), point(9, 140), point(14, 140), point(16, 200)];
    const rates = runRatesView({ startedAt, endedAt: at(16), points });
    expect(pointsOf(rates)).toEqual([
      [1, 10],
      [4000, 10],
      [9000, 20],
      [14_000, 0],
      [16_000, 30],
    ]);
    expect(rates.notedSince).toBeNull();
  });

  it('are constant over a time without records', () => {
    const rates = runRatesView({ startedAt, endedAt: null, points: [point(5, 50), point(65, 650), point(70, 750)] });
    expect(pointsOf(rates)).toEqual([
      [1, 10],
      [5000, 10],
      [5001, 10],
      [65_000, 10],
      [70_000, 20],
    ]);
  });

  it('include the time before the first record if the record is long after the start', () => {
    const rates = runRatesView({ startedAt, endedAt: null, points: [point(600, 6000), point(605, 6100)] });
    expect(rates.notedSince).toBe('2026-01-01T00:10:00.000Z');
    expect(pointsOf(rates).slice(0, 2)).toEqual([
      [1, 10],
      [600_000, 10],
    ]);
  });

  it('allow longer intervals between the points of a long run', () => {
    const day = 86_400;
    const points = [point(600, 600), point(day - 320, day - 320), point(day, day)];
    const rates = runRatesView({ startedAt, endedAt: at(day), points });
    expect(rates.notedSince).toBe(at(600).toISOString());
    expect(
      runRatesView({ startedAt, endedAt: at(day), points: [point(300, 300), point(day, day)] }).notedSince,
    ).toBeNull();
  });

  it('are not negative after sums were corrected', () => {
    expect(pointsOf(runRatesView({ startedAt, endedAt: null, points: [point(5, 50), point(10, 40)] })).at(-1)).toEqual([
      10_000, 0,
    ]);
  });

  it('are empty before the first record', () => {
    expect(runRatesView({ startedAt: null, endedAt: null, points: [] })).toEqual({ notedSince: null, points: [] });
  });
});
