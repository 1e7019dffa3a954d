import { describe, expect, it } from 'vitest';
import type { StepLine } from '#client/types.gen.ts';
import { createMarkLookup, findMovingCountries, computeRunFigures, createWaitLookup } from './run-figures.ts';

function line(step: number, change: Partial<StepLine> = {}): StepLine {
  return {
    step,
    action: `action-${step}`,
    audience: 100,
    succeeded: 0,
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

const audience = { estimated: null, counted: 100, excluded: 0, complete: true };

describe('the figures of a live run', () => {
  const steps = [
    line(1, { succeeded: 60, failed: 5, pending: 35 }),
    line(2, { succeeded: 40, failed: 2, pending: 53 }),
  ];

  it('count users through the last step, and users failed in any step', () => {
    expect(computeRunFigures({ audience, steps })).toMatchObject({ through: 40, failed: 7, of: 100, pending: 53 });
  });

  it('are shares of the estimate without excluded users, until the audience is complete', () => {
    const feeding = { ...audience, estimated: 500, excluded: 20, complete: false };
    expect(computeRunFigures({ audience: feeding, steps })).toMatchObject({ of: 480, isEstimated: true });
    expect(computeRunFigures({ audience: { ...feeding, complete: true }, steps })).toMatchObject({
      of: 100,
      isEstimated: false,
    });
  });
});

describe('a country of a live run', () => {
  const countries = ['SG', 'VN', 'ID'].map((country) => ({
    country,
    audience: 100,
    excluded: 0,
    steps: [line(1, country === 'SG' ? { succeeded: 100 } : { succeeded: 90, pending: 10 })],
  }));
  const wait = {
    step: 1,
    action: 'action-1',
    country: 'VN',
    cause: '503',
    by: 'step' as const,
    since: '2026-11-24T01:00:00.000Z',
    batches: 3,
    held: false,
    nextTryAt: null,
    blockedBy: null,
    timeoutMs: null,
    nextStep: '',
  };
  const run: Parameters<typeof createMarkLookup>[0] = { audience, countries, waits: [wait], state: 'running' };

  it('is marked as done or waiting, or has no mark', () => {
    const markOf = createMarkLookup(run);
    expect(['SG', 'VN', 'ID'].map((country) => markOf(country, 1))).toEqual(['done', 'waits', null]);
  });

  it.each([
    ['served all users', 'done', { succeeded: 98, heldOut: 2 }],
    ['ended with failures', 'partly', { succeeded: 99, failed: 1 }],
    ['ended with unknown users', 'partly', { succeeded: 99, unknown: 1 }],
    ['was cut off by the deadline', 'partly', { succeeded: 40, expired: 60 }],
    ['was cancelled half-way', 'partly', { succeeded: 40, cancelled: 60 }],
    ['failed for all users', 'failed', { failed: 100 }],
    ['lost every answer', 'failed', { unknown: 90, suppressed: 10 }],
    ['skipped all users', 'nobody', { skipped: 100 }],
    ['suppressed all users', 'nobody', { suppressed: 100 }],
  ])('has a mark if it %s: %s', (_, mark, counts) => {
    const ended = [{ country: 'SG', audience: 100, excluded: 0, steps: [line(1, counts)] }];
    expect(createMarkLookup({ ...run, countries: ended })('SG', 1)).toBe(mark);
  });

  it('is not done before its audience is complete', () => {
    expect(createMarkLookup({ ...run, audience: { ...audience, complete: false } })('SG', 1)).toBeNull();
  });

  it('is moving while users are still read from its audience', () => {
    const feeding = { ...run, audience: { ...audience, complete: false } };
    expect(findMovingCountries(feeding)).toEqual(['SG', 'ID']);
  });

  it('is moving if no step waits and users are pending', () => {
    expect(findMovingCountries(run)).toEqual(['ID']);
  });
});

describe('a waiting step of a country', () => {
  const wait = {
    step: 2,
    action: 'a',
    country: 'VN',
    cause: '503',
    by: 'step' as const,
    since: '',
    batches: 1,
    held: false,
    nextTryAt: null,
    blockedBy: null,
    timeoutMs: null,
    nextStep: '',
  };

  it('shows its most serious wait, a stopped one first', () => {
    const wordsOf = (...waits: Parameters<typeof createWaitLookup>[0]['waits']) => createWaitLookup({ waits })('VN', 2);
    expect(wordsOf(wait)).toEqual({ step: 2, words: 'waits', isStopped: false });
    expect(wordsOf(wait, { ...wait, held: true })).toMatchObject({ words: 'held', isStopped: true });
    expect(wordsOf({ ...wait, by: 'budget' }, wait)).toMatchObject({ words: 'budget used up', isStopped: true });
    expect(wordsOf({ ...wait, step: 1 })).toBeNull();
  });

  it('names quiet hours, unless there is also a fault', () => {
    const wordsOf = (...waits: Parameters<typeof createWaitLookup>[0]['waits']) => createWaitLookup({ waits })('VN', 2);
    const quiet = { ...wait, blockedBy: 'quiet-hours' as const };
    expect(wordsOf(quiet)).toMatchObject({ words: 'quiet hours', isStopped: true });
    expect(wordsOf(quiet, { ...wait, held: true })).toMatchObject({ words: 'held' });
  });

  it('distinguishes an open breaker from a missing worker and shows the more serious one', () => {
    const wordsOf = (...waits: Parameters<typeof createWaitLookup>[0]['waits']) => createWaitLookup({ waits })('VN', 2);
    const [breaker, noWorker] = (['breaker', 'no-worker'] as const).map((blockedBy) => ({ ...wait, blockedBy }));
    if (!breaker || !noWorker) throw new Error('there are two waits');
    expect(wordsOf(breaker)).toEqual({ step: 2, words: 'breaker open', isStopped: true });
    expect(wordsOf(noWorker)).toEqual({ step: 2, words: 'no worker', isStopped: true });
    expect(wordsOf(wait, breaker)).toMatchObject({ words: 'breaker open' });
    expect(wordsOf(breaker, noWorker, wait)).toMatchObject({ words: 'no worker' });
    expect(wordsOf(noWorker, { ...wait, held: true })).toMatchObject({ words: 'held' });
  });
});
