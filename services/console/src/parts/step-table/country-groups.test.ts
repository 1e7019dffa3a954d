import { describe, expect, it } from 'vitest';
import { formatCountryCodes, groupCountries, sumOfCountries } from './country-groups.ts';
import type { CountryCounts, StepCounts } from './step-lines.ts';

function line(step: number, change: Partial<StepCounts> = {}): StepCounts {
  return {
    step,
    action: `action-${step}`,
    audience: 100,
    succeeded: 100,
    failed: 0,
    skipped: 0,
    suppressed: 0,
    heldOut: 0,
    expired: 0,
    cancelled: 0,
    unknown: 0,
    pending: 0,
    ...change,
  };
}

const countryOf = (country: string, ...steps: Partial<StepCounts>[]): CountryCounts => ({
  country,
  steps: steps.map((change, index) => line(index + 1, change)),
});

const none = () => null;
const codes = (rows: readonly { country: string }[]) => rows.map(({ country }) => country);

describe('many countries', () => {
  const done = countryOf('BN', {});
  const moving = countryOf('ID', { pending: 40, audience: 500 });
  const smaller = countryOf('TH', { pending: 40 });
  const failing = countryOf('KR', { failed: 4, pending: 10 });
  const few = countryOf('MM', {}, { pending: 64 });
  const many = countryOf('VN', { pending: 248 }, { pending: 300 });
  const markOf = (country: string, step: number) =>
    (country === 'VN' && step === 1) || (country === 'MM' && step === 2) ? ('waits' as const) : null;

  it('are grouped by problems with most waiting users first, then under way, then done', () => {
    const groups = groupCountries([done, moving, smaller, failing, few, many], markOf);
    expect(codes(groups.trouble)).toEqual(['VN', 'MM', 'KR']);
    expect(groups.trouble.map(({ trouble }) => trouble?.waiting)).toEqual([248, 64, 0]);
    expect(codes(groups.underWay)).toEqual(['ID', 'TH']);
    expect(codes(groups.done)).toEqual(['BN']);
  });

  it('are no problem if fewer than three percent of their users failed, or if as many failed in other countries', () => {
    expect(groupCountries([countryOf('KR', { failed: 2 }), done, moving], none).trouble).toEqual([]);
    const both = [countryOf('KR', { failed: 9 }), countryOf('SG', { failed: 9 })];
    expect(groupCountries(both, none).trouble).toEqual([]);
    expect(codes(groupCountries([...both, moving, done], none).trouble)).toEqual(['KR', 'SG']);
  });

  it('are a problem if no user was served, also if all users failed in all countries', () => {
    const lost = [countryOf('KR', { succeeded: 0, failed: 100 }), countryOf('SG', { succeeded: 0, failed: 100 })];
    const isLost = (country: string) => (country === 'KR' ? ('failed' as const) : ('partly' as const));
    const groups = groupCountries(lost, isLost);
    expect(codes(groups.trouble)).toEqual(['KR']);
    expect(groups.trouble[0]?.trouble).toEqual({ waiting: 0, failedShare: 1 });
    expect(codes(groups.done)).toEqual(['SG']);
  });

  it('add up to a line for each step', () => {
    const [first, second] = sumOfCountries([few, many], [line(1), line(2)]);
    expect(first).toMatchObject({ step: 1, action: 'action-1', audience: 200, succeeded: 200, pending: 248 });
    expect(second).toMatchObject({ step: 2, pending: 364 });
  });

  it('are listed by their codes, none of which is cut', () => {
    expect(formatCountryCodes([done, moving])).toBe('BN ID');
    expect(formatCountryCodes(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => countryOf(name, {})))).toBe(
      'A B C D E, 2 more',
    );
  });
});
