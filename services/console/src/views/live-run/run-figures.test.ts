import { describe, expect, it } from 'vitest';
import type { StepLine } from '#client/types.gen.ts';
import { marksOf, movingCountries, runFigures, waitingUsers, waitsOf } from './run-figures.ts';

function line(step: number, change: Partial<StepLine> = {}): StepLine {
  return {
    ...{ step, action: `action-${step}`, audience: 100, succeeded: 0, failed: 0, skipped: 0, suppressed: 0 },
    ...{ heldOut: 0, expired: 0, cancelled: 0, unknown: 0, pending: 0 },
    ...change,
  };
}

const audience = { estimated: null, counted: 100, excluded: 0, complete: true };

describe('the figures of a live run', () => {
  const steps = [
    line(1, { succeeded: 60, failed: 5, pending: 35 }),
    line(2, { succeeded: 40, failed: 2, pending: 53 }),
  ];

  it('count who is through at the last step, and who failed at any', () => {
    expect(runFigures({ audience, steps })).toMatchObject({ through: 40, failed: 7, of: 100, pending: 53 });
  });

  it('are shares of the estimate without who is excluded, until the audience is complete', () => {
    const feeding = { ...audience, estimated: 500, excluded: 20, complete: false };
    expect(runFigures({ audience: feeding, steps })).toMatchObject({ of: 480, isEstimated: true });
    expect(runFigures({ audience: { ...feeding, complete: true }, steps })).toMatchObject({
      of: 100,
      isEstimated: false,
    });
  });

  it('tell who has a step and not yet the next one from whom nobody has called', () => {
    expect(waitingUsers({ steps })).toEqual({ untouched: 35, halfWay: 18 });
  });
});

describe('a country of a live run', () => {
  const countries = ['SG', 'VN', 'ID'].map((country) => ({
    ...{ country, audience: 100, excluded: 0 },
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
    ...{ held: false, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: '' },
  };
  const run: Parameters<typeof marksOf>[0] = { audience, countries, waits: [wait], state: 'running' };

  it('is marked as done, as waiting, or not at all', () => {
    const markOf = marksOf(run);
    expect(['SG', 'VN', 'ID'].map((country) => markOf(country, 1))).toEqual(['done', 'waits', null]);
  });

  it.each([
    ['served everybody', 'done', { succeeded: 98, heldOut: 2 }],
    ['ended with failures', 'partly', { succeeded: 99, failed: 1 }],
    ['ended with unknown users', 'partly', { succeeded: 99, unknown: 1 }],
    ['was cut off by the deadline', 'partly', { succeeded: 40, expired: 60 }],
    ['was cancelled half-way', 'partly', { succeeded: 40, cancelled: 60 }],
    ['failed for everybody', 'failed', { failed: 100 }],
    ['lost every answer', 'failed', { unknown: 90, suppressed: 10 }],
    ['skipped everybody', 'nobody', { skipped: 100 }],
    ['withheld everybody', 'nobody', { suppressed: 100 }],
  ])('that %s is marked as %s', (_, mark, counts) => {
    const ended = [{ country: 'SG', audience: 100, excluded: 0, steps: [line(1, counts)] }];
    expect(marksOf({ ...run, countries: ended })('SG', 1)).toBe(mark);
  });

  it('is not done before its audience is complete', () => {
    expect(marksOf({ ...run, audience: { ...audience, complete: false } })('SG', 1)).toBeNull();
  });

  it('goes on too while users are yet to come to it', () => {
    const feeding = { ...run, audience: { ...audience, complete: false } };
    expect(movingCountries(feeding)).toEqual(['SG', 'ID']);
  });

  it('goes on where nothing waits and somebody is pending', () => {
    expect(movingCountries(run)).toEqual(['ID']);
  });
});

describe('a step of a country that waits', () => {
  const wait = {
    ...{ step: 2, action: 'a', country: 'VN', cause: '503', by: 'step' as const, since: '', batches: 1 },
    ...{ held: false, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: '' },
  };

  it('says in a word for what, and what nobody is called for before all else', () => {
    const wordsOf = (...waits: Parameters<typeof waitsOf>[0]['waits']) => waitsOf({ waits })('VN', 2);
    expect(wordsOf(wait)).toEqual({ step: 2, words: 'waits', isStopped: false });
    expect(wordsOf(wait, { ...wait, held: true })).toMatchObject({ words: 'held', isStopped: true });
    expect(wordsOf({ ...wait, by: 'budget' }, wait)).toMatchObject({ words: 'budget used up', isStopped: true });
    expect(wordsOf({ ...wait, step: 1 })).toBeNull();
  });

  it('names quiet hours, and a fault beside them instead', () => {
    const wordsOf = (...waits: Parameters<typeof waitsOf>[0]['waits']) => waitsOf({ waits })('VN', 2);
    const quiet = { ...wait, blockedBy: 'quiet-hours' as const };
    expect(wordsOf(quiet)).toMatchObject({ words: 'quiet hours', isStopped: true });
    expect(wordsOf(quiet, { ...wait, held: true })).toMatchObject({ words: 'held' });
  });

  it('tells an open breaker and a missing worker apart, the graver one where there are two', () => {
    const wordsOf = (...waits: Parameters<typeof waitsOf>[0]['waits']) => waitsOf({ waits })('VN', 2);
    const [breaker, noWorker] = (['breaker', 'no-worker'] as const).map((blockedBy) => ({ ...wait, blockedBy }));
    if (!breaker || !noWorker) throw new Error('there are two');
    expect(wordsOf(breaker)).toEqual({ step: 2, words: 'breaker open', isStopped: true });
    expect(wordsOf(noWorker)).toEqual({ step: 2, words: 'no worker', isStopped: true });
    expect(wordsOf(wait, breaker)).toMatchObject({ words: 'breaker open' });
    expect(wordsOf(breaker, noWorker, wait)).toMatchObject({ words: 'no worker' });
    expect(wordsOf(noWorker, { ...wait, held: true })).toMatchObject({ words: 'held' });
  });
});
