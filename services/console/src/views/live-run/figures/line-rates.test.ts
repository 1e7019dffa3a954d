import { describe, expect, it } from 'vitest';
import type { RunWait, StepLine } from '#client/types.gen.ts';
import { sumRatesByStep, createLineRates, createRunRate, selectRates, type LineRate } from './line-rates.ts';

const startedAt = '2026-11-24T01:00:00.000Z';
const after = (seconds: number) => new Date(Date.parse(startedAt) + seconds * 1000).toISOString();

function progress(seconds: number, succeeded: number, waits: RunWait[] = []) {
  const line: StepLine = {
    step: 1,
    action: 'award-reward',
    audience: 1000,
    succeeded,
    failed: 0,
    skipped: 0,
    suppressed: 0,
    heldOut: 50,
    expired: 0,
    cancelled: 0,
    unknown: 0,
    pending: 950 - succeeded,
  };
  return {
    asOf: after(seconds),
    startedAt,
    waits,
    countries: [{ country: 'VN', audience: 1000, excluded: 0, steps: [line] }],
  };
}

describe('the rate of a step in a country', () => {
  it('is the mean since the start of a run that has just started', () => {
    expect(createLineRates().observe(progress(50, 200))).toMatchObject([{ country: 'VN', step: 1, perSecond: 4 }]);
  });

  it('is unknown for an older run before the second sample', () => {
    const rates = createLineRates();
    expect(rates.observe(progress(100, 400))[0]?.perSecond).toBeNull();
    expect(rates.observe(progress(102, 400))[0]?.perSecond).toBe(0);
  });

  it('is the mean of the last minute when there are enough samples', () => {
    const rates = createLineRates();
    rates.observe(progress(100, 400));
    rates.observe(progress(130, 460));
    expect(rates.observe(progress(160, 520))[0]?.perSecond).toBe(2);
    expect(rates.observe(progress(190, 520))[0]?.perSecond).toBe(1);
  });

  it('does not count held-out users, which have an outcome from the start', () => {
    expect(createLineRates().observe(progress(10, 0))[0]?.perSecond).toBe(0);
  });

  it('includes the cause of a wait', () => {
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

it('sumRatesByStep adds up the rates of many countries for each step', () => {
  const rate = (step: number, country: string, perSecond: number | null) => ({
    step,
    action: 'award-points',
    country,
    perSecond,
    cause: country === 'VN' ? '503' : null,
  });
  const rates = [rate(1, 'SG', 3), rate(1, 'VN', 0), rate(2, 'SG', 2.5), rate(2, 'VN', null)];
  expect(sumRatesByStep(rates).map(({ step, country, perSecond }) => [step, country, perSecond])).toEqual([
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

  it('covers the last five seconds', () => {
    const rate = createRunRate();
    for (let second = 100; second < 110; second++) rate.observe(run(second, second * 10));
    expect(rate.observe(run(110, 1100))).toBe(10);
    for (let second = 111; second < 115; second++) rate.observe(run(second, 1100));
    expect(rate.observe(run(115, 1100))).toBe(0);
  });

  it('is unknown before five seconds of samples, unless the run has just started', () => {
    const rate = createRunRate();
    expect([100, 102, 104].map((second) => rate.observe(run(second, 1000)))).toEqual([null, null, null]);
    expect(createRunRate().observe(run(6, 300))).toBe(50);
  });

  it('does not jump when a run is cancelled, and ends with the run', () => {
    const rate = createRunRate();
    for (let second = 100; second <= 105; second++) rate.observe(run(second, 500));
    expect(rate.observe(run(106, 500, null, 90_000))).toBe(0);
    expect(rate.observe(run(107, 500, after(106), 90_000))).toBeNull();
  });
});

describe('the visible rates', () => {
  const line = (country: string, cause: string | null = null): LineRate => ({
    step: 1,
    action: 'award-reward',
    country,
    perSecond: 1,
    cause,
  });
  const audiences = new Map([
    ['SG', 10],
    ['ID', 300],
    ['PH', 20],
    ['VN', 5],
  ]);

  it('belong to waiting lines and the lines with most users, in an order independent of the rate', () => {
    const rates = [line('SG'), line('ID'), line('PH'), line('VN', '503')];
    const visible = selectRates(rates, (country) => audiences.get(country) ?? 0, 3);
    expect(visible.lines.map(({ country }) => country)).toEqual(['ID', 'PH', 'VN']);
    expect(visible.others).toBe(1);
  });
});
