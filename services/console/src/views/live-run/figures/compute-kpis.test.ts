import { describe, expect, it } from 'vitest';
import { progress } from '../../../../testing/runs/live-run.ts';
import { computeKpis } from './compute-kpis.ts';

const [line] = progress.steps;
if (!line) throw new Error('the recorded run has a step');
const run = {
  ...progress,
  steps: [{ ...line, succeeded: 950, failed: 20, pending: 30 }],
  audience: { estimated: 1000, counted: 1000, excluded: 0, complete: true },
  usersPerSecond: { oneMinute: 40, tenMinutes: 35, fed: 21, through: 19.4 },
  waits: [],
  eta: null,
};
const timeOf = (instant: string) => (instant.startsWith('2026-11-24') ? instant.slice(11, 16) : `Mon 23 Nov, 10:00`);
const kpi = (name: string, change: Partial<typeof progress> = {}) =>
  computeKpis({ ...run, ...change }, timeOf).find((each) => each.name === name);

describe('the five key figures of a run', () => {
  const wait = {
    step: 1,
    action: 'award-reward',
    country: 'VN',
    cause: 'budget: too few',
    since: run.asOf,
    batches: 2,
    held: false,
    nextTryAt: null,
    blockedBy: null,
    timeoutMs: null,
    nextStep: '',
    by: 'budget' as const,
  };

  it('include the users who succeeded in every step, and the number of all users', () => {
    expect(kpi('Through the chain')).toMatchObject({ value: '95.0', unit: '%', note: '950 of 1,000 users' });
    const feeding = { estimated: 2000, counted: 1000, excluded: 0, complete: false };
    expect(kpi('Through the chain', { audience: feeding })?.note).toMatch(/^950 of about /);
  });

  it('count batches that wait for a retry as paused while the run is paused', () => {
    expect(kpi('In flight', { waitingForRetry: 3 })?.note).toBe('3 more wait for a retry');
    expect(kpi('In flight', { waitingForRetry: 3, state: 'paused' })?.note).toBe('3 more are paused');
  });

  it('count countries if there are many', () => {
    const countries = Array.from({ length: 9 }, (_, index) => ({
      country: `C${index}`,
      audience: 10,
      excluded: 0,
      steps: [{ ...line, pending: index < 2 ? 0 : 5 }],
    }));
    const waits = [{ ...wait, country: 'C8' }];
    expect(kpi('Countries', { countries, waits })).toMatchObject({
      value: '2',
      unit: 'of 9 done',
      note: '6 under way · 1 in trouble',
    });
    expect(kpi('Countries')).toBeUndefined();
  });

  it('count each user once in the rate, so that it is comparable with the pace', () => {
    const settings = { ...run.settings, paceUsersPerSecond: 20 };
    const rate = kpi('Rate, last minute', { settings });
    expect(rate).toMatchObject({ value: '19', unit: 'users/s', note: 'fed 21/s, pace 20' });
    expect(kpi('Rate, last minute', { settings: { ...settings, paceUsersPerSecond: null } })?.note).toBe('fed 21/s');
  });

  it('show the limit beside the failed users, if there is one', () => {
    expect(kpi('Failed at a step')?.note).not.toContain('limit');
    const settings = { ...run.settings, pauseAtFailedPercent: 5 };
    expect(kpi('Failed at a step', { settings })?.note).toMatch(/ · limit 5\s%$/);
  });

  it('leave countries that wait for a person out of the ETA, and list them', () => {
    const eta = { p50: '2026-11-24T11:13:00.000Z', p90: '2026-11-24T11:19:00.000Z', without: ['VN'] };
    const retried = { ...wait, country: 'ID', by: 'step' } as const;
    expect(kpi('ETA', { eta, waits: [wait] })).toMatchObject({ value: '11:13', note: 'p90 11:19 · without VN' });
    expect(kpi('ETA', { eta, waits: [wait, retried] })?.note).toBe('p90 11:19 · without VN · if ID recovers');
  });

  it('have no ETA if all remaining users wait for a person', () => {
    expect(kpi('ETA', { waits: [wait] })?.note).toBe('not before the budget of VN is raised');
    const held = { ...wait, by: 'step', held: true } as const;
    expect(kpi('ETA', { waits: [held] })?.note).toBe('not before VN is fixed');
    const unserved = { ...wait, by: 'step', blockedBy: 'no-worker' } as const;
    expect(kpi('ETA', { waits: [unserved] })?.note).toBe('not before a worker serves VN');
    const quiet = { ...wait, country: 'ID', by: 'step', blockedBy: 'quiet-hours' } as const;
    expect(kpi('ETA', { waits: [quiet] })?.note).toBe('not before quiet hours end in ID');
    expect(kpi('ETA', { waits: [held, quiet] })?.note).toBe('not before VN is fixed');
  });

  it.each([
    ['running', 'no progress right now'],
    ['preparing', 'not before the run starts'],
    ['paused', 'after it is resumed'],
    ['cancelling', 'when all results are recorded'],
  ] as const)('give the reason for a missing ETA while the run is %s', (state, note) => {
    expect(kpi('ETA', { state })).toMatchObject({ value: '–', note });
  });

  it('name the day of an ETA that is not today, and the countries that have to recover first', () => {
    const eta = { without: [], p50: '2026-11-24T11:36:00Z', p90: '2026-11-24T11:50:00Z' };
    expect(kpi('ETA', { eta })).toMatchObject({ value: '11:36', note: 'p90 11:50' });
    const wait = { country: 'VN', step: 1, action: 'award', cause: '503', since: '', batches: 1, held: false };
    const waits = ['VN', 'ID', 'SG'].map((country) => ({
      ...wait,
      country,
      nextTryAt: null,
      blockedBy: null,
      timeoutMs: null,
      nextStep: '',
      by: 'step' as const,
    }));
    const late = { ...eta, p50: '2026-11-25T10:00:00Z' };
    expect(kpi('ETA', { eta: late, waits })).toMatchObject({
      value: '10:00',
      note: 'Mon 23 Nov · p90 11:50 · if VN, ID and 1 more recover',
    });
  });

  it('are the times and the overall rate for a run that has ended', () => {
    const times = { startedAt: '2026-11-24T10:00:00Z', endedAt: '2026-11-24T10:00:20Z' };
    expect(kpi('Rate, whole run', times)).toMatchObject({ value: '50', note: 'took 20 s' });
    expect(kpi('Ended', times)).toMatchObject({ value: '10:00', note: 'began 10:00' });
    expect(kpi('ETA', times)).toBeUndefined();
    const neverBegun = { startedAt: null, endedAt: '2026-11-23T10:00:00Z' };
    expect(kpi('Ended', neverBegun)).toMatchObject({ value: '10:00', note: 'Mon 23 Nov' });
    expect(kpi('Rate, whole run', neverBegun)).toBeUndefined();
  });
});
