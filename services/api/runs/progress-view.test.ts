import { describe, expect, it } from 'vitest';
import { budgetCause } from '../../../shared/domain/run/budgets.ts';
import { untouchedRun } from '../../../test/support/conformance/run-rows.ts';
import type { RunSnapshot } from './run-reports.port.ts';
import { runProgressView } from './progress-view.ts';
import { nextSteps } from './run-view.ts';

const asOf = new Date('2026-01-01T00:00:00Z');

function running(
  facts: Partial<RunSnapshot> = {},
  country: Partial<RunSnapshot['countries'][number]> = {},
): RunSnapshot {
  return {
    runId: '01890a5d-ac96-774b-bcce-b302099a8057',
    kind: 'live',
    stepModes: null,
    canary: null,
    parentRunId: null,
    campaignId: '01890a5d-ac96-774b-bcce-b302099a8058',
    campaignName: 'Lapsed riders',
    revision: 1,
    state: 'running',
    stateReason: null,
    scheduledFor: asOf,
    startedAt: asOf,
    endedAt: null,
    chain: [{ action: 'award-reward', receipts: false }],
    asOf,
    ...untouchedRun,
    countries: [
      {
        country: 'SG',
        segment: 'all',
        estimate: null,
        fedUsers: 1300,
        fromStep: 1,
        heldOutUsers: 0,
        excludedUsers: 0,
        fedBatches: 13,
        childBatches: 0,
        complete: true,
        totals: [],
        receipts: [],
        ...country,
      },
    ],
    ...facts,
  };
}

const noUsers = { fed: 0, through: 0 };
const steady = { oneMinute: 13, tenMinutes: 13, isStill: false, ...noUsers };

describe('the expected end of a run', () => {
  it('is estimated with the rate of the last minute, and with a slower rate for p90', () => {
    expect(runProgressView(running(), steady).eta).toEqual({
      p50: '2026-01-01T00:01:40.000Z',
      p90: '2026-01-01T00:02:10.000Z',
      without: [],
    });
  });

  it('is estimated for p90 with the rate of the last ten minutes if that is slower', () => {
    expect(runProgressView(running(), { oneMinute: 13, tenMinutes: 6.5, isStill: false, ...noUsers }).eta?.p90).toBe(
      '2026-01-01T00:03:20.000Z',
    );
  });

  it('includes users who are not fed yet, in each step', () => {
    const halfFed = running({}, { fedUsers: 650, estimate: 1300, complete: false });
    expect(runProgressView(halfFed, steady).eta?.p50).toBe('2026-01-01T00:01:40.000Z');
  });

  it('includes no further users if the segment is larger than its estimate', () => {
    const overfed = running({}, { fedUsers: 13, estimate: 10, complete: false });
    const slow = { ...steady, oneMinute: 0.1, tenMinutes: 0.1 };
    expect(runProgressView(overfed, slow).eta?.p50).toBe('2026-01-01T00:02:10.000Z');
  });

  it.each([
    ['nothing moves', running(), { oneMinute: 0, tenMinutes: 5, isStill: false, ...noUsers }],
    ['nobody knows how many users there are', running({}, { complete: false }), steady],
    ['it has ended', running({ state: 'completed' }), steady],
    ['it is paused', running({ state: 'paused' }), steady],
    ['it would be years away', running(), { oneMinute: 1e-6, tenMinutes: 0, isStill: false, ...noUsers }],
  ])('is not shown while %s', (_why, snapshot, rates) => {
    expect(runProgressView(snapshot, rates).eta).toBeNull();
  });

  it('is unknown while there is no progress, whatever the earlier rate', () => {
    const rates = { oneMinute: 10, tenMinutes: 10, isStill: true, ...noUsers };
    expect(runProgressView(running({}, { complete: true }), rates).eta).toBeNull();
  });
});

describe('a cause of waiting that needs a person', () => {
  const since = asOf;
  const held = {
    step: 1,
    country: 'ID',
    cause: 'HTTP 405',
    since,
    batches: 3,
    held: true,
    nextTryAt: null,
    blockedBy: null,
  };
  const short = { ...held, cause: budgetCause('ID', '9,000 units'), held: false };
  const [sg] = running().countries;
  if (!sg) throw new Error('the run has a country');
  const inBoth = [sg, { ...sg, country: 'ID', fedUsers: 100_000 }];

  it.each([
    ['a step that is held', held],
    ['a budget that is used up', short],
    ['a step that no worker serves', { ...held, held: false, blockedBy: 'no-worker' as const }],
    ['a step in quiet hours', { ...held, held: false, blockedBy: 'quiet-hours' as const }],
  ])('excludes its countries from the expected end: %s', (_what, wait) => {
    const { eta } = runProgressView(running({ countries: inBoth, waits: [wait] }), steady);
    expect(eta).toEqual({ p50: '2026-01-01T00:01:40.000Z', p90: '2026-01-01T00:02:10.000Z', without: ['ID'] });
  });

  it('also affects the users in earlier steps, who will reach it', () => {
    const chain = [1, 2].map(() => ({ action: 'award-reward', receipts: false }));
    const { eta } = runProgressView(running({ chain, waits: [{ ...held, country: 'SG', step: 2 }] }), steady);
    expect(eta).toMatchObject({ p50: '2026-01-01T00:01:40.000Z', without: ['SG'] });
  });

  it('prevents an estimate if all remaining users wait for it', () => {
    expect(runProgressView(running({ waits: [{ ...short, country: 'SG' }] }), steady).eta).toBeNull();
  });

  it('differs from causes after which calls are retried automatically', () => {
    const retried = { ...held, held: false };
    const [breaker, unserved] = [
      { ...retried, blockedBy: 'breaker' as const, nextTryAt: asOf },
      { ...retried, blockedBy: 'no-worker' as const },
    ];
    const { waits } = runProgressView(running({ waits: [held, short, retried, breaker, unserved] }), steady);
    expect(waits.map(({ by, nextStep, blockedBy, nextTryAt }) => [by, nextStep, blockedBy, nextTryAt])).toEqual([
      ['step', nextSteps.held, null, null],
      ['budget', nextSteps.budget, null, null],
      ['step', nextSteps.step, null, null],
      ['step', nextSteps.step, 'breaker', asOf.toISOString()],
      ['step', nextSteps.noWorker, 'no-worker', null],
    ]);
  });
});
