import { sweptStates } from '../../../shared/domain/admission.ts';
import { isChildBatch } from '../../../shared/domain/batch.ts';
import type { LostRef, OutboxSweep } from '../../../services/trigger/ports/feed-store.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import { atOnce } from './at-once.ts';
import { lostBefore } from './lost-users.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-store.ts';
import { isFree } from './step-ledger.ts';

export function createMemoryOutboxSweep({ database }: { database: MemoryDatabase }): OutboxSweep {
  const { runs, feeds, batches, steps, clock } = database;

  /** The run's feeds while its work still has to reach a worker; otherwise none. */
  function sweptFeeds(runId: string): Set<string> {
    const row = runs.get(runId);
    if (!row || !sweptStates.includes(row.state)) return new Set();
    return new Set([...feeds.values()].filter((feed) => feed.runId === runId).map((feed) => feed.feedId));
  }

  function refsOf(found: (StepRef & { epoch: number })[], limit: number): LostRef[] {
    return found.slice(0, limit).map(({ feedId, batchNo, step, epoch }) => {
      const ref = { feedId, batchNo, step };
      const lost = lostBefore(database, ref);
      const users = batches.get(batchKey(feedId, batchNo))?.users ?? [];
      return { ...ref, epoch, lost, remaining: users.length - lost.length };
    });
  }

  return {
    overdue: (runId, limit) =>
      atOnce(() => {
        const swept = sweptFeeds(runId);
        const found = [...steps.values()].filter((row) => swept.has(row.feedId) && isFree(row, clock.nowMs()));
        return refsOf(found, limit);
      }),
    unclaimed: (runId, limit) =>
      atOnce(() => {
        const swept = sweptFeeds(runId);
        const row = runs.get(runId);
        const chainLength = row ? definitionOf(database, row).chain.length : 0;
        const fed = [...batches.values()]
          .filter((batch) => swept.has(batch.feedId) && !isChildBatch(batch.batchNo))
          .map(({ feedId, batchNo }) => ({ feedId, batchNo, step: 1, epoch: 0 }));
        const survived = [...steps.values()]
          .filter((done) => swept.has(done.feedId) && done.rest === 'succeeded' && done.restUsers > 0)
          .map(({ feedId, batchNo, step }) => ({ feedId, batchNo, step: step + 1, epoch: 0 }))
          .filter(({ step }) => step <= chainLength);
        const found = [...fed, ...survived].filter((ref) => !steps.has(stepKey(ref.feedId, ref.batchNo, ref.step)));
        return refsOf(found, limit);
      }),
  };
}
