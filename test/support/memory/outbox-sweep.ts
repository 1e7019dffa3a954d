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
  function sweptFeeds(run: string): Set<string> {
    const row = runs.get(run);
    if (!row || !sweptStates.includes(row.state)) return new Set();
    return new Set([...feeds.values()].filter((feed) => feed.run === run).map((feed) => feed.feed));
  }

  function refsOf(found: (StepRef & { epoch: number })[], limit: number): LostRef[] {
    return found.slice(0, limit).map(({ feed, batchNo, step, epoch }) => {
      const ref = { feed, batchNo, step };
      const lost = lostBefore(database, ref);
      const users = batches.get(batchKey(feed, batchNo))?.users ?? [];
      return { ...ref, epoch, lost, remaining: users.length - lost.length };
    });
  }

  return {
    overdue: (run, limit) =>
      atOnce(() => {
        const swept = sweptFeeds(run);
        const found = [...steps.values()].filter((row) => swept.has(row.feed) && isFree(row, clock.nowMs()));
        return refsOf(found, limit);
      }),
    unclaimed: (run, limit) =>
      atOnce(() => {
        const swept = sweptFeeds(run);
        const row = runs.get(run);
        const chainLength = row ? definitionOf(database, row).chain.length : 0;
        const fed = [...batches.values()]
          .filter((batch) => swept.has(batch.feed) && !isChildBatch(batch.batchNo))
          .map(({ feed, batchNo }) => ({ feed, batchNo, step: 1, epoch: 0 }));
        const survived = [...steps.values()]
          .filter((done) => swept.has(done.feed) && done.rest === 'succeeded' && done.restUsers > 0)
          .map(({ feed, batchNo, step }) => ({ feed, batchNo, step: step + 1, epoch: 0 }))
          .filter(({ step }) => step <= chainLength);
        const found = [...fed, ...survived].filter((ref) => !steps.has(stepKey(ref.feed, ref.batchNo, ref.step)));
        return refsOf(found, limit);
      }),
  };
}
