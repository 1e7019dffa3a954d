import { describe, expect, it } from 'vitest';
import type { RunWait, StepLine } from '#client/types.gen.ts';
import { ratesByStep, createLineRates, createRunRate, shownRates, type LineRate } from './line-rates.ts';

const startedAt = '2026-11-24T01:00:00.000Z';
const after = (seconds: number) => new Date(Date.parse(startedAt) + seconds * 1000).toISOString();

function progress(seconds: number, succeeded: number, waits: RunWait[] = []) {
  const line: StepLine = {
    ...{ step: 1, action: 'award-reward', audience: 1000, succeeded, failed: 0, skipped: 0, suppressed: 0 },
    ...{ heldOut: 50, expired: 0, cancelled: 0, unknown: 0, pending: 950 - succeeded },
  };
  return {
    asOf: after(seconds),
    startedAt,
    waits,
    countries: [{ country: 'VN', audience: 1000, excluded: 0, steps: [line] }],
  };
}

describe('the rate of a step in a country', () => {
  it('is the mean since the start of a run that has just begun', () => {
    expect(createLineRates().observe(progress(50, 200))).toMatchObject([{ country: 'VN', step: 1, perSecond: 4 }]);
  });

  it('is not known of an older run before the second look: its mean would hide what it does now', () => {
    const rates = createLineRates();
    expect(rates.observe(progress(100, 400))[0]?.perSecond).toBeNull();
    expect(rates.observe(progress(102, 400))[0]?.perSecond).toBe(0);
  });

  it('is that of the last minute from then on', () => {
    const rates = createLineRates();
    rates.observe(progress(100, 400));
    rates.observe(progress(130, 460));
    expect(rates.observe(progress(160, 520))[0]?.perSecond).toBe(2);
    expect(rates.observe(progress(190, 520))[0]?.perSecond).toBe(1);
  });

  it('does not count who is held out, who has an outcome from the beginning', () => {
    expect(createLineRates().observe(progress(10, 0))[0]?.perSecond).toBe(0);
  });

  it('tells what the line waits for', () => {
    const retried = { held: false, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: '' };
    const wait = {
      step: 1,
      action: 'award-reward',
      country: 'VN',
      cause: '503',
      by: 'step' as const,
      since: startedAt,
      batches: 4,
      ...retried,
    };
    expect(createLineRates().observe(progress(10, 0, [wait]))[0]?.cause).toBe('503');
  });
});

it('the rates of many countries are one for each step, by its number', () => {
  const of = (step: number, country: string, perSecond: number | null) => ({
    ...{ step, action: 'award-points', country, perSecond, cause: country === 'VN' ? '503' : null },
  });
  const rates = [of(1, 'SG', 3), of(1, 'VN', 0), of(2, 'SG', 2.5), of(2, 'VN', null)];
  expect(ratesByStep(rates).map(({ step, country, perSecond }) => [step, country, perSecond])).toEqual([
    [1, '', 3],
    [2, '', 2.5],
  ]);
});

describe('the rate of a whole run', () => {
  const run = (seconds: number, succeeded: number, endedAt: string | null = null, cancelled = 0) => {
    const [country] = progress(seconds, succeeded).countries;
    const steps = (country?.steps ?? []).map((line) => ({ ...line, cancelled }));
    return { asOf: after(seconds), startedAt, endedAt, steps };
  };

  it('is that of the last five seconds', () => {
    const rate = createRunRate();
    for (let second = 100; second < 110; second++) rate.observe(run(second, second * 10));
    expect(rate.observe(run(110, 1100))).toBe(10);
    for (let second = 111; second < 115; second++) rate.observe(run(second, 1100));
    expect(rate.observe(run(115, 1100))).toBe(0);
  });

  it('is not known before five seconds of watching, unless the run has only just begun', () => {
    const rate = createRunRate();
    expect([100, 102, 104].map((second) => rate.observe(run(second, 1000)))).toEqual([null, null, null]);
    expect(createRunRate().observe(run(6, 300))).toBe(50);
  });

  it('does not leap when a run is cancelled, and ends with it', () => {
    const rate = createRunRate();
    for (let second = 100; second <= 105; second++) rate.observe(run(second, 500));
    expect(rate.observe(run(106, 500, null, 90_000))).toBe(0);
    expect(rate.observe(run(107, 500, after(106), 90_000))).toBeNull();
  });
});

describe('the rates that are shown', () => {
  const line = (country: string, cause: string | null = null): LineRate => ({
    ...{ step: 1, action: 'award-reward', country, perSecond: 1, cause },
  });
  const audiences = new Map([
    ['SG', 10],
    ['ID', 300],
    ['PH', 20],
    ['VN', 5],
  ]);

  it('are those that wait and those with most users, in an order that does not change with the rate', () => {
    const rates = [line('SG'), line('ID'), line('PH'), line('VN', '503')];
    const shown = shownRates(rates, (country) => audiences.get(country) ?? 0, 3);
    expect(shown.lines.map(({ country }) => country)).toEqual(['ID', 'PH', 'VN']);
    expect(shown.others).toBe(1);
  });
});
