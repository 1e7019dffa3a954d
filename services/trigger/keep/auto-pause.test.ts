import { describe, expect, it } from 'vitest';
import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import { failureCause } from './auto-pause.ts';
import type { RunTally } from '../ports/run-store.ts';

function tallyOf(totals: Partial<StepTotals>[][], changes: Partial<RunTally> = {}): RunTally {
  const none = { step: 1, batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0 };
  const feed = {
    fedUsers: 0,
    heldOutUsers: 0,
    canaryUsers: null,
    fedBatches: 0,
    fromStep: 1,
    complete: false,
    stalled: null,
    flow: [],
  };
  return {
    runId: 'run',
    campaignId: 'campaign',
    state: 'running',
    stateReason: null,
    chain: [{ action: 'award-reward' }, { action: 'send-message' }],
    overdueMs: -1000,
    hasBudgets: false,
    canary: null,
    pauseAtFailed: { percent: 5, minUsers: 1000 },
    failureBaseline: [],
    feeds: totals.map((lines, index) => ({
      ...feed,
      feedId: `feed-${index}`,
      country: 'SG',
      totals: lines.map((line) => ({ ...none, ...line })),
    })),
    ...changes,
  };
}

describe('the automatic pause of a run', () => {
  it('happens above the limit of failed users, with a cause that contains the numbers and the step', () => {
    const tally = tallyOf([[{ succeeded: 3520, failed: 480 }]]);
    expect(failureCause(tally)).toBe('12 % of 4,000 users failed in step 1, limit 5 %');
  });

  it('counts unknown users as failed, and adds up all countries', () => {
    const tally = tallyOf([[{ succeeded: 1000 }], [{ succeeded: 800, failed: 100, unknown: 100 }]]);
    expect(failureCause(tally)).toBe('10 % of 2,000 users failed in step 1, limit 5 %');
  });

  it('happens if a later step is above the limit, although the whole run is below it', () => {
    const tally = tallyOf([[{ succeeded: 100_000 }, { step: 2, succeeded: 1000, failed: 57 }]]);
    expect(failureCause(tally)).toBe('5.4 % of 1,057 users failed in step 2, limit 5 %');
  });

  it('does not happen exactly at the limit', () => {
    expect(failureCause(tallyOf([[{ succeeded: 950, failed: 50 }]]))).toBeNull();
    expect(failureCause(tallyOf([[{ succeeded: 949, failed: 51 }]]))).not.toBeNull();
  });

  it('does not happen before 1,000 users have succeeded or failed, not counting expired and cancelled ones', () => {
    expect(failureCause(tallyOf([[{ failed: 999, expired: 500, cancelled: 500 }]]))).toBeNull();
    expect(failureCause(tallyOf([[{ failed: 1000 }]]))).toBe('100 % of 1,000 users failed in step 1, limit 5 %');
  });

  it('does not happen without a limit', () => {
    expect(failureCause(tallyOf([[{ failed: 5000 }]], { pauseAtFailed: null }))).toBeNull();
  });

  it('counts only users since the last resumption', () => {
    const failureBaseline = [{ step: 1, ended: 4000, failed: 480 }];
    expect(failureCause(tallyOf([[{ succeeded: 4520, failed: 480 }]], { failureBaseline }))).toBeNull();
    expect(failureCause(tallyOf([[{ succeeded: 4420, failed: 580 }]], { failureBaseline }))).toBe(
      '10 % of 1,000 users failed in step 1, limit 5 %',
    );
  });

  it('happens at the first failed user if the limit is 0 %', () => {
    const pauseAtFailed = { percent: 0, minUsers: 1 };
    expect(failureCause(tallyOf([[{ succeeded: 99, failed: 1 }]], { pauseAtFailed }))).toBe(
      '1 % of 100 users failed in step 1, limit 0 %',
    );
    expect(failureCause(tallyOf([[{ succeeded: 99 }]], { pauseAtFailed }))).toBeNull();
  });
});
