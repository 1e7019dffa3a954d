import { describe, expect, it } from 'vitest';
import { bestOf, howManyOf, kindWords, numberWords, shareOf, type HowMany } from './how-many.ts';

const asOf = '2026-11-29T10:00:00.000Z';
const countedAt = '2026-11-29T10:31:00.000Z';
const estimated = howManyOf({ atLeast: 121_313, atMost: 125_005 }, asOf);
const counted = howManyOf({ atLeast: 121_315, atMost: 121_315, countedAt }, asOf);

describe('the size of an audience', () => {
  it.each<[HowMany, string, string]>([
    [estimated, '121,313 to 125,005', 'estimated'],
    [howManyOf({ atLeast: 93_200, atMost: 93_200 }, asOf), 'about 93,200', 'estimated'],
    [howManyOf({ atLeast: 500, atMost: null }, asOf), 'at least 500', 'estimated'],
    [howManyOf({ atLeast: 0, atMost: null }, asOf), 'not known', 'estimated'],
    [counted, '121,315', 'counted'],
    [{ ...counted, kind: 'at-most' }, 'at most 121,315', 'approved'],
    [{ ...counted, kind: 'last-run' }, 'about 121,315', 'as in the last run'],
    [{ ...counted, kind: 'so-far' }, '121,315', 'so far'],
  ])('carries its kind: %o', (size, number, kind) => {
    expect([numberWords(size), kindWords(size)]).toEqual([number, kind]);
  });

  it('has the time of the count, not that of the estimate', () => {
    expect(counted.at).toBe(countedAt);
    expect(estimated.at).toBe(asOf);
  });

  it('is an estimate once a hold-out takes a share of it', () => {
    expect(numberWords(shareOf(counted, 0.9))).toBe('about 109,184');
    expect(shareOf(counted, 1)).toBe(counted);
  });
});

describe('a dry run', () => {
  const startedAt = '2026-11-29T11:00:00.000Z';
  const audience = { counted: 121_400, complete: true, excluded: 0, estimated: null, heldOut: 0 };
  const dryRun = { state: 'completed' as const, revision: 2, audience, startedAt };

  it('replaces an estimate, and a count before it', () => {
    for (const known of [estimated, counted])
      expect(bestOf(known, dryRun, 2)).toEqual({ kind: 'dry-run', atLeast: 121_400, atMost: 121_400, at: startedAt });
  });

  it('replaces no count that is newer', () => {
    expect(bestOf({ ...counted, at: '2026-11-29T12:00:00.000Z' }, dryRun, 2).kind).toBe('counted');
  });

  it.each([
    ['of another revision', dryRun, 3],
    ['that has not read the whole audience', { ...dryRun, audience: { ...audience, complete: false } }, 2],
    ['that there is not', undefined, 2],
  ])('%s replaces nothing', (_what, of, revision) => {
    expect(bestOf(estimated, of, revision)).toBe(estimated);
  });
});
