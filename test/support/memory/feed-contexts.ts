import { chainOfVariant } from '../../../shared/contracts/campaigns/variants.ts';
import { admissionOf } from '../../../shared/domain/run/admission.ts';
import type { FeedAdmission, FeedContexts, StepHold } from '../../../shared/ports/feed-contexts.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-definitions.ts';

export function createMemoryFeedContexts({ database }: { database: MemoryDatabase }): FeedContexts {
  const { feeds, runs, totals, clock } = database;
  return {
    load: (ids) =>
      atOnce(() =>
        ids.flatMap((id) => {
          const row = feeds.get(id);
          const run = row && runs.get(row.runId);
          if (!row || !run) return [];
          const { chain } = definitionOf(database, run);
          const { feedId, country, stepUnits: unitsPerUser } = row;
          const ofFeed = chainOfVariant(chain, row.variant);
          const ofRun = { runId: run.id, campaignId: run.campaignId, chain: ofFeed, stepModes: null };
          return [{ feedId, country, unitsPerUser, ...ofRun }];
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
          return [{ feedId, runId: run.id, verdict, deadlineInMs, holds: holdsOf(database, feedId) }];
        }),
      ),
    acceptanceOf: ({ feedId, step }) =>
      atOnce(() => {
        const runId = feeds.get(feedId)?.runId;
        const ofRun = [...feeds.values()].filter((feed) => feed.runId === runId);
        const rows = ofRun.flatMap((feed) => totals.get(`${feed.feedId}/${step}`) ?? []);
        return {
          isAccepted: (totals.get(`${feedId}/${step}`)?.succeeded ?? 0) > 0,
          succeeded: rows.reduce((sum, { succeeded }) => sum + succeeded, 0),
          refused: rows.reduce((sum, { refused }) => sum + refused, 0),
        };
      }),
  };
}

function holdsOf({ holds, clock }: MemoryDatabase, feedId: string): StepHold[] {
  return [...holds.values()]
    .filter((row) => row.feedId === feedId)
    .map(({ step, kind, cause, nextTryAtMs }) => ({ step, kind, cause, tryDue: nextTryAtMs <= clock.nowMs() }))
    .sort((a, b) => a.step - b.step || (a.kind < b.kind ? -1 : 1));
}
