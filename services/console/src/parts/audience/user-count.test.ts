import { describe, expect, it } from 'vitest';
import {
  bestKnownCount,
  userCountOf,
  formatCountKind,
  formatUserCount,
  partOfCount,
  type UserCount,
} from './user-count.ts';

const asOf = '2026-11-29T10:00:00.000Z';
const countedAt = '2026-11-29T10:31:00.000Z';
const estimated = userCountOf({ atLeast: 121_313, atMost: 125_005 }, asOf);
const counted = userCountOf({ atLeast: 121_315, atMost: 121_315, countedAt }, asOf);

describe('the size of an audience', () => {
  it.each<[UserCount, string, string]>([
    [estimated, '121,313 to 125,005', 'estimated'],
    [userCountOf({ atLeast: 93_200, atMost: 93_200 }, asOf), 'about 93,200', 'estimated'],
    [userCountOf({ atLeast: 500, atMost: null }, asOf), 'at least 500', 'estimated'],
    [userCountOf({ atLeast: 0, atMost: null }, asOf), 'not known', 'estimated'],
    [counted, '121,315', 'counted'],
    [{ ...counted, kind: 'at-most' }, 'at most 121,315', 'approved'],
    [{ ...counted, kind: 'last-run' }, 'about 121,315', 'as in the last run'],
    [{ ...counted, kind: 'so-far' }, '121,315', 'so far'],
  ])('states its kind, such as counted or estimated: %o', (size, number, kind) => {
    expect([formatUserCount(size), formatCountKind(size)]).toEqual([number, kind]);
  });

  it('has the time of the count, not that of the estimate', () => {
    expect(counted.at).toBe(countedAt);
    expect(estimated.at).toBe(asOf);
  });

  it('is an estimate once a hold-out takes a share of it', () => {
    expect(formatUserCount(partOfCount(counted, 0.9))).toBe('about 109,184');
    expect(partOfCount(counted, 1)).toBe(counted);
  });
});

describe('a dry run', () => {
  const startedAt = '2026-11-29T11:00:00.000Z';
  const audience = { counted: 121_400, complete: true, excluded: 0, estimated: null, heldOut: 0 };
  const dryRun = { state: 'completed' as const, revision: 2, audience, startedAt };

  it('replaces an estimate, and an older count, as the size of the audience', () => {
    for (const known of [estimated, counted])
      expect(bestKnownCount(known, dryRun, 2)).toEqual({
        kind: 'dry-run',
        atLeast: 121_400,
        atMost: 121_400,
        at: startedAt,
      });
  });

  it('does not replace a newer count', () => {
    expect(bestKnownCount({ ...counted, at: '2026-11-29T12:00:00.000Z' }, dryRun, 2).kind).toBe('counted');
  });

  it.each([
    ['it is of another revision', dryRun, 3],
    ['it has not read the whole audience', { ...dryRun, audience: { ...audience, complete: false } }, 2],
    ['there is none', undefined, 2],
  ])('replaces nothing if %s', (_what, candidate, revision) => {
    expect(bestKnownCount(estimated, candidate, revision)).toBe(estimated);
  });
});
