import { describe, expect, it } from 'vitest';
import type { RunProgress, StepLine } from '#client/types.gen.ts';
import { stallBadge, stallsOf } from './stall.ts';

const since = '2026-11-24T02:31:04.000Z';

function line(pending: number): StepLine {
  return {
    ...{ step: 1, action: 'award-reward', audience: 1000, succeeded: 1000 - pending, failed: 0, skipped: 0 },
    ...{ suppressed: 0, heldOut: 0, expired: 0, cancelled: 0, unknown: 0, pending },
  };
}

type Watched = Parameters<typeof stallsOf>[0];

function run(change: Partial<Watched> = {}): Watched {
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
    ...{ state: 'running', stalled: 'endpoint says 503', stall: null, waits, waitingSince: since },
    audience: { estimated: null, counted: 3000, excluded: 0, complete: true },
    countries: ['SG', 'ID', 'VN'].map((country) => ({
      ...{ country, audience: 1000, excluded: 0 },
      steps: [line(country === 'SG' ? 0 : 478)],
    })),
    ...change,
  };
}

describe('a run of which a part waits', () => {
  it('tells where, for what, who waits and who goes on', () => {
    expect(stallsOf(run())).toMatchObject([
      {
        badge: 'VN waits',
        symptom: 'VN waits for “Award reward”.',
        cause: 'Endpoint says 503.',
        since,
        meanwhile: '478 users wait and lose no attempts; ID goes on.',
        shard: { action: 'award-reward', country: 'VN' },
      },
    ]);
  });

  it('says what a person can do as the API says it, of a step that is held before one that is tried again', () => {
    expect(stallsOf(run())[0]?.nextStep).toBe('It is tried again.');
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const held = { ...wait, held: true, nextStep: 'Set it right.', since: '2026-11-24T02:31:09.000Z' };
    expect(stallsOf(run({ waits: [wait, held] }))[0]?.nextStep).toBe('Set it right.');
  });

  it('names the fault of a held step first, with the quiet hours beside it', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const quiet = { ...wait, blockedBy: 'quiet-hours' as const, cause: 'quiet hours', nextStep: 'Wait.' };
    const fault = { ...wait, held: true, nextStep: 'Set it right.', since: '2026-11-24T02:31:09.000Z' };
    expect(stallsOf(run({ waits: [quiet, fault] }))).toMatchObject([
      { cause: 'Endpoint says 503. Quiet hours.', since: fault.since, nextStep: 'Set it right.' },
    ]);
    expect(stallsOf(run({ waits: [quiet] }))).toMatchObject([{ cause: 'Quiet hours.', nextStep: 'Wait.' }]);
  });

  it('says what to do of a step without a worker before one that is tried again, and that a breaker is open', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const later = { ...wait, since: '2026-11-24T02:31:09.000Z' };
    const noWorker = {
      ...later,
      blockedBy: 'no-worker' as const,
      cause: 'no worker serves it',
      nextStep: 'Start one.',
    };
    expect(stallsOf(run({ waits: [wait, noWorker] }))).toMatchObject([
      { cause: 'Endpoint says 503. No worker serves it.', nextStep: 'Start one.', breaker: null },
    ]);
    const nextTryAt = '2026-11-24T02:31:20.000Z';
    const breaker = { ...later, blockedBy: 'breaker' as const, nextTryAt };
    expect(stallsOf(run({ waits: [wait, breaker] }))).toMatchObject([
      { cause: 'Endpoint says 503.', nextStep: 'It is tried again.', breaker: { nextTryAt } },
    ]);
  });

  it('is shown once where its batches were put back and its shard is held for the same cause', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const held = { ...wait, cause: 'award-reward in VN: endpoint says 503', since: '2026-11-24T02:31:09.000Z' };
    expect(stallsOf(run({ waits: [held, wait] }))).toMatchObject([{ cause: 'Endpoint says 503.', since }]);
  });

  it('counts those that go on where they are many', () => {
    const [, country] = run().countries;
    if (!country) throw new Error('the run has countries');
    const many = ['SG', 'ID', 'TH', 'PH', 'MY', 'KR', 'VN'].map((name) => ({ ...country, country: name }));
    expect(stallsOf(run({ countries: many }))[0]?.meanwhile).toMatch(/; 6 others go on\.$/);
  });

  it('counts its parts on the badge', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const stalls = stallsOf(run({ waits: [wait, { ...wait, country: 'ID' }] }));
    expect(stallBadge(stalls)).toBe('2 parts wait');
    expect(stallBadge(stalls.slice(0, 1))).toBe('VN waits');
    expect(stallBadge([])).toBeNull();
  });
});

describe('a budget that is used up', () => {
  it('is told with what is left, and that nothing but a person helps', () => {
    const [wait] = run().waits;
    if (!wait) throw new Error('the run has a wait');
    const budgets = [
      { country: 'VN', units: 402_200, used: 402_118, reserved: 0, left: 82, money: null, waitingBatches: 4 },
    ];
    const short = { ...wait, by: 'budget', cause: 'budget: too few', nextStep: 'Raise it.' } as const;
    expect(stallsOf(run({ waits: [short], budgets }))).toEqual([
      {
        badge: 'VN: budget used up',
        breaker: null,
        symptom: 'VN has used up its budget.',
        cause: '82 of 402,200 units are left, too few for what waits.',
        since,
        meanwhile: '478 users wait and lose no attempts; ID goes on.',
        nextStep: 'Raise it.',
        place: { country: 'VN', step: 1, action: 'award-reward', users: 478 },
        shard: null,
        shortIn: 'VN',
      },
    ]);
  });
});

describe('a run that waits as a whole', () => {
  it('tells its cause', () => {
    const stalled = 'no worker serves award-reward in VN';
    const said = { by: 'engine', cause: stalled, since, nextStep: 'It goes on by itself.' } as const;
    const [stall] = stallsOf(run({ waits: [], stalled, stall: said }));
    expect(stall).toMatchObject({ badge: 'Waits', cause: 'No worker serves award-reward in VN.', shard: null });
    expect(stall?.nextStep).toBe('It goes on by itself.');
  });

  it('is no stall where a person paused it', () => {
    expect(stallsOf(run({ state: 'paused', stalled: 'paused by growth-sea' }))).toEqual([]);
  });
});
