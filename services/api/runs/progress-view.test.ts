import { describe, expect, it } from 'vitest';
import { untouchedRun } from '../../../test/support/conformance/run-rows.ts';
import type { RunSnapshot } from './run-reports.port.ts';
import { runProgressView } from './progress-view.ts';

const asOf = new Date('2026-01-01T00:00:00Z');

function running(
  facts: Partial<RunSnapshot> = {},
  country: Partial<RunSnapshot['countries'][number]> = {},
): RunSnapshot {
  return {
    runId: '01890a5d-ac96-774b-bcce-b302099a8057',
    kind: 'live',
    stepModes: null,
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
    inFlight: 0,
    waitingForRetry: 0,
    stalled: null,
    stalledBy: null,
    waits: [],
    budgets: [],
    failuresKept: true,
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

const steady = { oneMinute: 13, tenMinutes: 13, isStill: false };

describe('when a run is expected to end', () => {
  it('is at the last minute’s rate, and at p90 as if that slowed down', () => {
    expect(runProgressView(running(), steady).eta).toEqual({
      p50: '2026-01-01T00:01:40.000Z',
      p90: '2026-01-01T00:02:10.000Z',
    });
  });

  it('is at p90 as slow as the last ten minutes were', () => {
    expect(runProgressView(running(), { oneMinute: 13, tenMinutes: 6.5, isStill: false }).eta?.p90).toBe(
      '2026-01-01T00:03:20.000Z',
    );
  });

  it('counts users that are not fed yet in every step', () => {
    const halfFed = running({}, { fedUsers: 650, estimate: 1300, complete: false });
    expect(runProgressView(halfFed, steady).eta?.p50).toBe('2026-01-01T00:01:40.000Z');
  });

  it.each([
    ['nothing moves', running(), { oneMinute: 0, tenMinutes: 5, isStill: false }],
    ['nobody knows how many users there are', running({}, { complete: false }), steady],
    ['it has ended', running({ state: 'completed' }), steady],
    ['it is paused', running({ state: 'paused' }), steady],
    ['it would be years away', running(), { oneMinute: 1e-6, tenMinutes: 0, isStill: false }],
  ])('is not shown while %s', (_why, snapshot, rates) => {
    expect(runProgressView(snapshot, rates).eta).toBeNull();
  });

  it('is not said while nothing moves, however fast it was', () => {
    const rates = { oneMinute: 10, tenMinutes: 10, isStill: true };
    expect(runProgressView(running({}, { complete: true }), rates).eta).toBeNull();
  });
});
