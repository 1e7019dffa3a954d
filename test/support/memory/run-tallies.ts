import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import type { RunSettings } from '../../../shared/contracts/runs/runs.ts';
import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { FlowCounts } from '../../../services/trigger/ports/feed-store.ts';
import type { RunTally } from '../../../services/trigger/ports/run-store.ts';
import { createMemoryDatabase, type MemoryDatabase } from './memory-database.ts';
import type { RunRow } from './run-tables.ts';
import { addToTotals, totalsOf, totalsRowsOf } from './totals.ts';
import { canaryOf, definitionOf, settingsOf } from './run-definitions.ts';
import { feedsOf } from './run-feeds.ts';

export function tallyOf(database: MemoryDatabase, row: RunRow): RunTally {
  const { chain, budgets } = definitionOf(database, row);
  const canary = canaryOf(database, row);
  return {
    runId: row.id,
    campaignId: row.campaignId,
    state: row.state === 'cancelling' ? 'cancelling' : 'running',
    chain,
    stateReason: row.stateReason,
    overdueMs: database.clock.nowMs() - row.deadlineAtMs,
    pauseAtFailed: pauseAtFailedOf(settingsOf(database, row)),
    hasBudgets: budgets !== undefined,
    canary:
      row.canary === 'serving' && canary
        ? { maxFailedPercent: canary.maxFailedPercent ?? null, isChoice: canary.then === 'choose-variant' }
        : null,
    failureBaseline: [...row.failureBaseline].map(([step, judged]) => ({ step, ...judged })),
    feeds: feedsOf(database, row.id).map((feed) => ({
      feedId: feed.feedId,
      country: feed.country,
      fedUsers: feed.fedUsers,
      heldOutUsers: feed.heldOutUsers,
      canaryUsers: feed.canaryUsers,
      fedBatches: feed.nextBatchNo - 1,
      fromStep: feed.fromStep,
      complete: feed.complete,
      stalled: feed.stalled,
      totals: totalsOf(database, feed.feedId),
      flow: flowOf(database, feed.feedId, chain.length),
    })),
  };
}

function pauseAtFailedOf({ pauseAtFailedPercent, pauseAtFailedMinUsers }: RunSettings): RunTally['pauseAtFailed'] {
  return pauseAtFailedPercent === null ? null : { percent: pauseAtFailedPercent, minUsers: pauseAtFailedMinUsers };
}

/** Returns one line for each step of the chain. */
export function flowOf(database: MemoryDatabase, feedId: string, steps: number): FlowCounts[] {
  const lines = totalsRowsOf(database, feedId);
  return Array.from({ length: steps }, (_, index) => {
    const { done, survived, created, waiting } = lines.find(({ step }) => step === index + 1) ?? noFlow;
    return { done, survived, created, waiting };
  });
}

const noFlow: FlowCounts = { done: 0, survived: 0, created: 0, waiting: 0 };

/** Returns the totals of a scratch database to which all rows are added again. */
export function recounted({ clock, steps, failures }: MemoryDatabase, feedId: string): StepTotals[] {
  const scratch = createMemoryDatabase(clock);
  for (const row of steps.values()) {
    if (row.feedId !== feedId || row.state !== 'done' || row.rest === null) continue;
    addToTotals(scratch, feedId, row.step, { batches: isChildBatch(row.batchNo) ? 0 : 1, [row.rest]: row.restUsers });
  }
  for (const failure of failures) {
    if (failure.feedId === feedId) addToTotals(scratch, feedId, failure.step, { [failure.outcome]: 1 });
  }
  return totalsOf(scratch, feedId);
}
