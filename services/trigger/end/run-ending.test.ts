import { describe, expect, it } from 'vitest';
import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { RunTally } from '../ports/run-store.ts';
import { differences, endingOf } from './run-ending.ts';

function totalsOf(step: number, counts: Partial<StepTotals>): StepTotals {
  return { step, batches: 1, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0, ...counts };
}

function tallyOf(feeds: Partial<RunTally['feeds'][number]>[], changes: Partial<RunTally> = {}): RunTally {
  const empty = {
    fedUsers: 100,
    heldOutUsers: 0,
    canaryUsers: null,
    fedBatches: 1,
    fromStep: 1,
    complete: true,
    stalled: null,
    totals: [],
    flow: [],
  };
  return {
    runId: 'run',
    campaignId: 'campaign',
    chain: [{ action: 'award-reward' }, { action: 'send-message' }],
    state: 'running',
    stateReason: null,
    pauseAtFailed: null,
    failureBaseline: [],
    overdueMs: -1000,
    hasBudgets: false,
    canary: null,
    feeds: feeds.map((feed, index) => ({ feedId: `feed-${index}`, country: 'SG', ...empty, ...feed })),
    ...changes,
  };
}

const allSucceeded = [totalsOf(1, { succeeded: 100 }), totalsOf(2, { succeeded: 100 })];

describe('the final state of a run', () => {
  it('is completed if all users succeeded in every step', () => {
    expect(endingOf(tallyOf([{ totals: allSucceeded }]))).toEqual({ state: 'completed', reason: null });
  });

  it('is completed if all users except the held-out users succeeded', () => {
    const totals = [totalsOf(1, { succeeded: 90 }), totalsOf(2, { succeeded: 90 })];
    expect(endingOf(tallyOf([{ totals, heldOutUsers: 10 }]))).toEqual({ state: 'completed', reason: null });
    expect(endingOf(tallyOf([{ totals, heldOutUsers: 9 }]))).toBeNull();
  });

  it('is completed for an empty audience', () => {
    expect(endingOf(tallyOf([{ fedUsers: 0, fedBatches: 0 }]))).toEqual({ state: 'completed', reason: null });
  });

  it('is completed with failures if some users failed and the others succeeded', () => {
    const totals = [totalsOf(1, { succeeded: 98, failed: 2 }), totalsOf(2, { succeeded: 98 })];
    expect(endingOf(tallyOf([{ totals }]))).toEqual({ state: 'completed_with_failures', reason: null });
  });

  it('has a reason that names the number of unknown users', () => {
    const totals = [totalsOf(1, { succeeded: 97, unknown: 3 }), totalsOf(2, { succeeded: 96, unknown: 1 })];
    expect(endingOf(tallyOf([{ totals }]))).toEqual({
      state: 'completed_with_failures',
      reason: 'the outcome of 4 users is unknown',
    });
  });

  it('is not reached while a step is pending in any country', () => {
    const halfway = [totalsOf(1, { succeeded: 100 }), totalsOf(2, { succeeded: 99 })];
    expect(endingOf(tallyOf([{ totals: allSucceeded }, { totals: halfway }]))).toBeNull();
  });

  it('is not reached while a feed is incomplete', () => {
    expect(endingOf(tallyOf([{ totals: allSucceeded, complete: false }]))).toBeNull();
  });

  it('is not reached if more users ended than were fed', () => {
    const totals = [totalsOf(1, { succeeded: 101 }), totalsOf(2, { succeeded: 101 })];
    expect(endingOf(tallyOf([{ totals }]))).toBeNull();
  });

  it('is expired if users were too late', () => {
    const totals = [totalsOf(1, { succeeded: 60, expired: 40 }), totalsOf(2, { succeeded: 60 })];
    expect(endingOf(tallyOf([{ totals }], { overdueMs: 0 }))).toEqual({
      state: 'expired',
      reason: 'the deadline passed before 40 users could be served',
    });
  });

  it('is expired if the deadline passes before the whole audience was fed', () => {
    const late = tallyOf([{ totals: allSucceeded, complete: false }], { overdueMs: 0 });
    expect(endingOf(late)).toEqual({
      state: 'expired',
      reason: 'the deadline passed before all of the audience was fed',
    });
  });

  it('is not reached while users are pending, even after the deadline', () => {
    const totals = [totalsOf(1, { succeeded: 60, expired: 39 }), totalsOf(2, { succeeded: 60 })];
    expect(endingOf(tallyOf([{ totals, complete: false }], { overdueMs: 0 }))).toBeNull();
  });

  it('is cancelled once no user is pending, although the feed is incomplete', () => {
    const totals = [totalsOf(1, { succeeded: 60, cancelled: 39, unknown: 1 }), totalsOf(2, { succeeded: 60 })];
    expect(endingOf(tallyOf([{ totals, complete: false }], { state: 'cancelling' }))).toEqual({
      state: 'cancelled',
      reason: 'the outcome of 1 user is unknown',
    });
  });

  it('keeps the name of the user who cancelled the run, and adds the number of unknown users', () => {
    const totals = [totalsOf(1, { succeeded: 60, cancelled: 39, unknown: 1 }), totalsOf(2, { succeeded: 60 })];
    const stateReason = 'cancelled by the night shift';
    expect(endingOf(tallyOf([{ totals }], { state: 'cancelling', stateReason }))?.reason).toBe(
      'cancelled by the night shift; the outcome of 1 user is unknown',
    );
  });

  it('is completed after the deadline if all users succeeded before it', () => {
    expect(endingOf(tallyOf([{ totals: allSucceeded }], { overdueMs: 0 }))?.state).toBe('completed');
  });
});

describe('the recount of a run', () => {
  it('finds no difference between equal sums, even if one side lacks a line that the other has with zeros', () => {
    const tally = tallyOf([{ totals: [...allSucceeded] }, { fedUsers: 0, totals: [] }]);
    const counted = [
      { feedId: 'feed-0', totals: allSucceeded },
      { feedId: 'feed-1', totals: [totalsOf(1, { batches: 0 })] },
    ];
    expect(differences(tally, counted)).toEqual([]);
  });

  it('describes each difference with its feed, step and count', () => {
    const counted = [
      { feedId: 'feed-0', totals: [totalsOf(1, { succeeded: 99, failed: 1 }), totalsOf(2, { succeeded: 100 })] },
    ];
    expect(differences(tallyOf([{ totals: allSucceeded }]), counted)).toEqual([
      'feed-0, step 1, succeeded: 100, 99',
      'feed-0, step 1, failed: 0, 1',
    ]);
  });
});
