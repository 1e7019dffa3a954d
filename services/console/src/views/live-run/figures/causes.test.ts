import { describe, expect, it } from 'vitest';
import { formatCountries, groupCauses } from './causes.ts';
import type { Stall } from './stall.ts';

const since = '2026-11-24T02:31:04.000Z';

function stallOf(country: string, users: number, change: Partial<Stall> = {}): Stall {
  return {
    badge: '',
    symptom: '',
    cause: 'Endpoint says 503.',
    since,
    meanwhile: '',
    nextStep: '',
    shortBudgetCountry: null,
    breaker: null,
    place: { country, step: 1, action: 'award-reward', users },
    shard: { action: 'award-reward', country },
    ...change,
  };
}

const line = {
  action: 'a',
  audience: 84_206,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  suppressed: 0,
  heldOut: 0,
  expired: 0,
  cancelled: 0,
  unknown: 0,
  pending: 0,
};
const failing = {
  country: 'KR',
  audience: 84_206,
  steps: [
    { ...line, step: 1, failed: 284 },
    { ...line, step: 2, failed: 2637 },
  ],
  trouble: { waiting: 0, failedShare: 0.0347 },
};
const reasonOf = (reason: string, users: number, country = 'KR') => {
  return { country, outcome: 'failed' as const, reason, users };
};

describe('the causes of a run in many countries', () => {
  it('have a line each, sorted by waiting users', () => {
    const causes = groupCauses(
      [
        stallOf('SG', 5),
        stallOf('MM', 64, { cause: 'No worker.' }),
        stallOf('VN', 248, { since: '2026-11-24T02:30:00.000Z' }),
      ],
      [],
      [],
    );
    expect(causes).toMatchObject([
      {
        countries: ['VN', 'SG'],
        words: 'wait for “Award reward”: endpoint says 503.',
        note: '253 users',
        since: '2026-11-24T02:30:00.000Z',
      },
      { countries: ['MM'], words: 'waits for “Award reward”: no worker.', note: '64 users' },
    ]);
  });

  it('include the earliest next attempt of their open breakers', () => {
    const breaker = (nextTryAt: string | null) => ({ breaker: { nextTryAt } });
    const open = [
      stallOf('SG', 5, breaker(null)),
      stallOf('VN', 9, breaker('2026-11-24T02:32:20.000Z')),
      stallOf('ID', 7, breaker('2026-11-24T02:32:10.000Z')),
    ];
    expect(groupCauses(open, [], [])).toMatchObject([breaker('2026-11-24T02:32:10.000Z')]);
    expect(groupCauses([stallOf('SG', 5, breaker(null))], [], [])).toMatchObject([breaker(null)]);
    expect(groupCauses([stallOf('SG', 5)], [], [])).toMatchObject([{ breaker: null }]);
  });

  it('keep the budget of each country separate and omit waits of the whole run', () => {
    const short = (country: string) =>
      stallOf(country, 1, { cause: '0 of 5 units are left.', shortBudgetCountry: country });
    const causes = groupCauses([short('SG'), short('VN'), stallOf('X', 1, { place: null })], [], []);
    expect(causes.map(({ countries, words, shortBudgetCountry }) => [countries, words, shortBudgetCountry])).toEqual([
      [['SG'], 'has used up its budget: 0 of 5 units are left.', 'SG'],
      [['VN'], 'has used up its budget: 0 of 5 units are left.', 'VN'],
    ]);
  });

  it('list countries with too many failures, with the main reason', () => {
    const others = [
      reasonOf('no-wallet', 9000, 'VN'),
      { ...reasonOf('opted-out', 9000), outcome: 'suppressed' as const },
    ];
    const wordsOf = (...reasons: ReturnType<typeof reasonOf>[]) =>
      groupCauses([], [failing], [...others, ...reasons]).map(({ words }) => words);
    const failedText = '2,921 failed, 3.5 % of 84,206';
    expect(wordsOf()).toEqual([`${failedText}.`]);
    expect(wordsOf(reasonOf('cap', 1000), reasonOf('closed', 921), reasonOf('cap', 1000))).toEqual([
      `${failedText}: mostly cap.`,
    ]);
    expect(wordsOf(reasonOf('cap', 1000), reasonOf('closed', 921))).toEqual([`${failedText}: most often cap.`]);
  });

  it('name up to three countries and count the others', () => {
    expect(formatCountries(['VN', 'MM', 'SG'])).toBe('VN, MM, SG');
    expect(formatCountries(['VN', 'MM', 'SG', 'ID'])).toBe('VN, MM and 2 more');
  });
});
