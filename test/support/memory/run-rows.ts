import { v7 as uuidv7 } from 'uuid';
import { firstChildBatchNo } from '../../../shared/domain/batch.ts';
import { emptyFeed, someFailure, type RunRows } from '../conformance/run-rows.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

export function createMemoryRunRows({ database }: { database: MemoryDatabase }): RunRows {
  const { runs, feeds, failures, clock } = database;

  return {
    addRun: (seed) =>
      atOnce(() => {
        const id = uuidv7();
        const optional = {
          startedAt: null,
          endedAt: null,
          stateReason: null,
          inFlight: 0,
          waiting: 0,
          waitingCause: null,
        };
        runs.set(id, { id, deadlineAtMs: Infinity, ...optional, ...seed });
        return id;
      }),

    addFeed: (runId, seed) =>
      atOnce(() => {
        const feedId = uuidv7();
        const { fedBatches, ...rest } = { ...emptyFeed, ...seed };
        const unowned = {
          cursor: null,
          owner: null,
          token: 0,
          leaseUntilMs: 0,
          stalledUntilMs: null,
          stalls: 0,
          segment: 'all',
          snapshot: 's1',
        };
        const numbers = { nextBatchNo: fedBatches + 1, nextChildNo: firstChildBatchNo };
        feeds.set(feedId, { feedId, runId, ...rest, ...unowned, ...numbers });
        return feedId;
      }),

    addTotals: (feedId, _slot, { step, ...added }) => atOnce(() => addToTotals(database, feedId, step, added)),

    addFailure: (feedId, seed) =>
      atOnce(() => {
        const failure = { ...someFailure, ...seed };
        failures.push({ feedId, failedAt: clock.now(), ...failure });
        addToFailureTotals(database, feedId, failure.step, failure);
      }),
  };
}
