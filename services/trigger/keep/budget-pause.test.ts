import { describe, expect, it } from 'vitest';
import { budgetPause } from './budget-pause.ts';
import type { BudgetShortage, FeedTally, RunTally } from '../ports/run-store.ts';
import type { OpenStep } from '../standing/step-progress.ts';

const feedOf = (country: string, changes: Partial<FeedTally> = {}): FeedTally => ({
  feedId: `feed-${country}`,
  country,
  fedUsers: 0,
  heldOutUsers: 0,
  canaryUsers: null,
  fedBatches: 0,
  fromStep: 1,
  complete: true,
  stalled: null,
  totals: [],
  flow: [],
  ...changes,
});

const tallyOf = (feeds: FeedTally[]): RunTally => ({
  runId: 'run',
  campaignId: 'campaign',
  state: 'running',
  stateReason: null,
  chain: [{ action: 'award-points' }],
  overdueMs: -1000,
  hasBudgets: true,
  canary: null,
  pauseAtFailed: null,
  failureBaseline: [],
  feeds,
});

const openOf = (country: string, changes: Partial<OpenStep>): OpenStep => ({
  runId: 'run',
  feedId: `feed-${country}`,
  country,
  step: 1,
  topic: `t.${country}`,
  ready: 0,
  waiting: 0,
  stillForMs: 0,
  ...changes,
});

const shortageOf = (changes: Partial<BudgetShortage> = {}): BudgetShortage => ({
  runId: 'run',
  country: 'SG',
  left: 0,
  batches: 3,
  leastUnits: 1,
  budgetText: '1,000 units',
  leftText: String(changes.left ?? 0),
  leastText: String(changes.leastUnits ?? 1),
  ...changes,
});

describe('the budget pause of a run', () => {
  const waits = [openOf('SG', { waiting: 3 })];

  it('happens if all open batches wait for the budget, with a cause that contains country and units', () => {
    expect(budgetPause(tallyOf([feedOf('SG')]), waits, [shortageOf()])).toBe(
      'budget: the 1,000 units of SG are used up',
    );
  });

  it('happens if the remaining units do not suffice for one user', () => {
    const cause = budgetPause(tallyOf([feedOf('SG')]), waits, [shortageOf({ left: 4, leastUnits: 5 })]);
    expect(cause).toBe('budget: 4 of the 1,000 units of SG are left, and a user costs 5');
  });

  it('has a cause that contains each country', () => {
    const shortages = [shortageOf({ country: 'ID', budgetText: '7 units' }), shortageOf()];
    const open = [openOf('ID', { waiting: 3 }), ...waits];
    expect(budgetPause(tallyOf([feedOf('ID'), feedOf('SG')]), open, shortages)).toBe(
      'budget: the 7 units of ID are used up; the 1,000 units of SG are used up',
    );
  });

  it('happens although the feed is incomplete', () => {
    expect(budgetPause(tallyOf([feedOf('SG', { complete: false })]), waits, [shortageOf()])).not.toBeNull();
  });

  it.each<[string, FeedTally[], OpenStep[], BudgetShortage[]]>([
    ['no batch waits for the budget', [feedOf('SG')], waits, []],
    ['the budget was raised', [feedOf('SG')], waits, [shortageOf({ left: 1 })]],
    [
      'a call is in flight that may release units',
      [feedOf('SG')],
      [openOf('SG', { waiting: 3, ready: 1 })],
      [shortageOf()],
    ],
    ['other batches wait for a retry', [feedOf('SG')], [openOf('SG', { waiting: 4 })], [shortageOf()]],
    ['another country continues', [feedOf('SG'), feedOf('ID')], [...waits, openOf('ID', { ready: 2 })], [shortageOf()]],
    ['another country is still being fed', [feedOf('SG'), feedOf('ID', { complete: false })], waits, [shortageOf()]],
  ])('does not happen if %s', (_, feeds, open, shortages) => {
    expect(budgetPause(tallyOf(feeds), open, shortages)).toBeNull();
  });
});
