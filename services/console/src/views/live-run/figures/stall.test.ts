import { describe, expect, it } from 'vitest';
import type { RunProgress, StepLine } from '#client/types.gen.ts';
import { formatStallBadge, findStalls } from './stall.ts';

const since = '2026-11-24T02:31:04.000Z';

function line(pending: number): StepLine {
  return {
    step: 1,
    action: 'award-reward',
    audience: 1000,
    succeeded: 1000 - pending,
    failed: 0,
    skipped: 0,
    suppressed: 0,
    heldOut: 0,
    expired: 0,
    cancelled: 0,
    unknown: 0,
    pending,
  };
}

type WatchedRun = Parameters<typeof findStalls>[0];

function run(change: Partial<WatchedRun> = {}): WatchedRun {
  const retried = { held: false, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: 'It is tried again.' };
  const waits: RunProgress['waits'] = [
    {
      step: 1,
      action: 'award-reward',
      country: 'VN',
      cause: 'endpoint says 503',
      by: 'step',
      since,
      batches: 4,
      ...retried,
    },
  ];
  return {
    budgets: [],
    state: 'running',
    stalled: 'endpoint says 503',
    stall: null,
    waits,
    waitingSince: since,
    audience: { estimated: null, counted: 3000, excluded: 0, complete: true },
    countries: ['SG', 'ID', 'VN'].map((country) => ({
      country,
      audience: 1000,
      excluded: 0,
      steps: [line(country === 'SG' ? 0 : 478)],
    })),
    ...change,
  };
}

describe('a run with a waiting step', () => {
  it('describes the place, the cause, waiting users and moving countries', () => {
    expect(findStalls(run())).toMatchObject([
      {
        badge: 'VN waits',
        symptom: 'VN waits for “Award reward”.',
        cause: 'Endpoint says 503.',
        since,
        meanwhile: '478 users wait and use no attempts; ID continues.',
        shard: { action: 'award-reward', country: 'VN' },
      },
    ]);
  });

  it('shows the next step of the API, for a held wait rather than for a retry', () => {
    expect(findStalls(run())[0]?.nextStep).toBe('It is tried again.');
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const held = { ...wait, held: true, nextStep: 'Set it right.', since: '2026-11-24T02:31:09.000Z' };
    expect(findStalls(run({ waits: [wait, held] }))[0]?.nextStep).toBe('Set it right.');
  });

  it('names the fault of a held step before quiet hours', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const quiet = { ...wait, blockedBy: 'quiet-hours' as const, cause: 'quiet hours', nextStep: 'Wait.' };
    const fault = { ...wait, held: true, nextStep: 'Set it right.', since: '2026-11-24T02:31:09.000Z' };
    expect(findStalls(run({ waits: [quiet, fault] }))).toMatchObject([
      { cause: 'Endpoint says 503. Quiet hours.', since: fault.since, nextStep: 'Set it right.' },
    ]);
    expect(findStalls(run({ waits: [quiet] }))).toMatchObject([{ cause: 'Quiet hours.', nextStep: 'Wait.' }]);
  });

  it('shows the next step for a missing worker instead of that for a retry, and an open breaker with its next attempt', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const later = { ...wait, since: '2026-11-24T02:31:09.000Z' };
    const noWorker = {
      ...later,
      blockedBy: 'no-worker' as const,
      cause: 'no worker serves it',
      nextStep: 'Start one.',
    };
    expect(findStalls(run({ waits: [wait, noWorker] }))).toMatchObject([
      { cause: 'Endpoint says 503. No worker serves it.', nextStep: 'Start one.', breaker: null },
    ]);
    const nextTryAt = '2026-11-24T02:31:20.000Z';
    const breaker = { ...later, blockedBy: 'breaker' as const, nextTryAt };
    expect(findStalls(run({ waits: [wait, breaker] }))).toMatchObject([
      { cause: 'Endpoint says 503.', nextStep: 'It is tried again.', breaker: { nextTryAt } },
    ]);
  });

  it('is listed once if its batches were released and its shard is held for the same cause', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const held = { ...wait, cause: 'award-reward in VN: endpoint says 503', since: '2026-11-24T02:31:09.000Z' };
    expect(findStalls(run({ waits: [held, wait] }))).toMatchObject([{ cause: 'Endpoint says 503.', since }]);
  });

  it('counts moving countries if there are many', () => {
    const [, country] = run().countries;
    if (!country) throw new Error('the run has countries');
    const many = ['SG', 'ID', 'TH', 'PH', 'MY', 'KR', 'VN'].map((name) => ({ ...country, country: name }));
    expect(findStalls(run({ countries: many }))[0]?.meanwhile).toMatch(/; 6 others continue\.$/);
  });

  it('counts its waiting shards on the badge', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const stalls = findStalls(run({ waits: [wait, { ...wait, country: 'ID' }] }));
    expect(formatStallBadge(stalls)).toBe('2 shards wait');
    expect(formatStallBadge(stalls.slice(0, 1))).toBe('VN waits');
    expect(formatStallBadge([])).toBeNull();
  });
});

describe('a budget that is used up', () => {
  it('is described with the remaining units and the next step for a person', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const budgets = [
      { country: 'VN', units: 402_200, used: 402_118, reserved: 0, left: 82, money: null, waitingBatches: 4 },
    ];
    const short = { ...wait, by: 'budget', cause: 'budget: too few', nextStep: 'Raise it.' } as const;
    expect(findStalls(run({ waits: [short], budgets }))).toEqual([
      {
        badge: 'VN: budget used up',
        breaker: null,
        symptom: 'VN has used up its budget.',
        cause: '82 of 402,200 units are left, too few for the waiting batches.',
        since,
        meanwhile: '478 users wait and use no attempts; ID continues.',
        nextStep: 'Raise it.',
        place: { country: 'VN', step: 1, action: 'award-reward', users: 478 },
        shard: null,
        shortBudgetCountry: 'VN',
      },
    ]);
  });
});

describe('a run that waits as a whole', () => {
  it('shows its cause', () => {
    const stalled = 'no worker serves award-reward in VN';
    const stallDetail = { by: 'engine', cause: stalled, since, nextStep: 'It goes on by itself.' } as const;
    const [stall] = findStalls(run({ waits: [], stalled, stall: stallDetail }));
    expect(stall).toMatchObject({ badge: 'Waits', cause: 'No worker serves award-reward in VN.', shard: null });
    expect(stall?.nextStep).toBe('It goes on by itself.');
  });

  it('is not stalled if a person paused it', () => {
    expect(findStalls(run({ state: 'paused', stalled: 'paused by growth-sea' }))).toEqual([]);
  });
});
