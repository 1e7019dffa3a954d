import { admissionOf } from '../../../shared/domain/admission.ts';
import type { FeedContexts } from '../../../shared/ports/step-ledger.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-store.ts';

export function createMemoryFeedContexts({ database }: { database: MemoryDatabase }): FeedContexts {
  const { feeds, runs, clock } = database;
  return {
    load: (ids) =>
      atOnce(() =>
        ids.flatMap((id) => {
          const row = feeds.get(id);
          const run = row && runs.get(row.runId);
          if (!row || !run) return [];
          const { chain } = definitionOf(database, run);
          return [{ feedId: row.feedId, runId: run.id, campaignId: run.campaignId, country: row.country, chain }];
        }),
      ),
    admissions: (ids) =>
      atOnce(() =>
        ids.flatMap((id) => {
          const run = runs.get(id);
          return run ? [{ runId: id, verdict: admissionOf(run.state, run.deadlineAtMs <= clock.nowMs()) }] : [];
        }),
      ),
  };
}
