import { v7 as uuidv7 } from 'uuid';
import { firstChildBatchNo } from '../../../shared/domain/batch.ts';
import { emptyFeed, emptyTotals, someFailure, type RunRows } from '../conformance/run-rows.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryRunRows({ database }: { database: MemoryDatabase }): RunRows {
  const { runs, feeds, totals, failures, clock } = database;

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
        const { fedBatches, childBatches, ...rest } = { ...emptyFeed, ...seed };
        const unowned = { cursor: null, owner: null, token: 0, leaseUntilMs: 0, segment: 'all', snapshot: 's1' };
        const numbers = { nextBatchNo: fedBatches + 1, nextChildNo: firstChildBatchNo + childBatches };
        feeds.set(feedId, { feedId, runId, ...rest, ...unowned, ...numbers });
        return feedId;
      }),

    addTotals: (feedId, _slot, added) =>
      atOnce(() => {
        const key = `${feedId}/${added.step}`;
        const sum = totals.get(key) ?? { step: added.step, ...emptyTotals };
        const delta = { ...emptyTotals, ...added };
        totals.set(key, {
          step: added.step,
          batches: sum.batches + delta.batches,
          succeeded: sum.succeeded + delta.succeeded,
          failed: sum.failed + delta.failed,
          expired: sum.expired + delta.expired,
          cancelled: sum.cancelled + delta.cancelled,
          unknown: sum.unknown + delta.unknown,
        });
      }),

    addFailure: (feedId, failure) =>
      atOnce(() => {
        failures.push({ feedId, failedAt: clock.now(), ...someFailure, ...failure });
      }),
  };
}
