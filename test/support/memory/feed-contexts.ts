import { admissionOf } from '../../../shared/domain/run/admission.ts';
import type { FeedAdmission, FeedContexts, StepAdmission } from '../../../shared/ports/step-ledger.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-definitions.ts';
import { totalsRowsOf } from './totals.ts';

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
          const { feedId, country, stepUnits: unitsPerUser } = row;
          return [{ feedId, runId: run.id, campaignId: run.campaignId, country, chain, unitsPerUser }];
        }),
      ),
    admissions: (ids) =>
      atOnce(() =>
        ids.flatMap((feedId): FeedAdmission[] => {
          const feed = feeds.get(feedId);
          const run = feed && runs.get(feed.runId);
          if (!run) return [];
          const deadlineInMs = run.deadlineAtMs - clock.nowMs();
          const verdict = admissionOf(run.state, deadlineInMs <= 0);
          return [{ feedId, runId: run.id, verdict, deadlineInMs, steps: stepsOf(database, feedId) }];
        }),
      ),
  };
}

function stepsOf(database: MemoryDatabase, feedId: string): StepAdmission[] {
  const totals = new Map(totalsRowsOf(database, feedId).map((row) => [row.step, row]));
  const holds = new Map(
    [...database.holds.values()].filter((row) => row.feedId === feedId).map((row) => [row.step, row]),
  );
  const steps = [...new Set([...totals.keys(), ...holds.keys()])].sort((a, b) => a - b);
  return steps.map((step) => {
    const hold = holds.get(step);
    const { succeeded = 0, refused = 0 } = totals.get(step) ?? {};
    const tryDue = hold !== undefined && hold.nextTryAtMs <= database.clock.nowMs();
    return { step, hold: hold ? { cause: hold.cause, tryDue } : null, succeeded, refused };
  });
}
