import { countOutcomes, outcomesOfUsers } from '../../../shared/domain/run/earlier-outcomes.ts';
import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import { stepLines } from '../../../shared/domain/step/outcomes.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import type { EarlierPage, EarlierUsers, StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { BatchRow, FeedRow } from './feed-tables.ts';
import { definitionOf } from './run-definitions.ts';
import { totalsOf } from './totals.ts';

/** Page size of Postgres, for tests with several pages. */
const usersPerPart = 1000;
const batchesPerPage = 10;

export function createMemoryStoredAudiences({ database }: { database: MemoryDatabase }): StoredAudiences {
  const { audiences, runs } = database;
  const ready = (listId: string) => {
    const row = audiences.get(listId);
    return row?.state === 'ready' ? row : undefined;
  };

  return {
    list: (listId, country) =>
      atOnce(() => {
        const row = ready(listId);
        return row && { name: row.name, users: row.users.get(country)?.length ?? 0 };
      }),
    listPage: (listId, country, after) =>
      atOnce(() => {
        const all = ready(listId)?.users.get(country) ?? [];
        const rest = after === null ? all : all.filter((user) => compareUserIds(user, after) > 0);
        return ready(listId) && { users: rest.slice(0, usersPerPart), isLast: rest.length === 0 };
      }),
    run: (runId, country) =>
      atOnce(() => {
        const run = runs.get(runId);
        if (!run) return undefined;
        const feeds = feedsOf(database, runId, country);
        return {
          state: run.state,
          steps: definitionOf(database, run).chain.length,
          feedIds: feeds.map(({ feedId }) => feedId),
          keepsUsers: feeds.every((feed) => feed.nextBatchNo === 1 || fedBatchesOf(database, feed.feedId).length > 0),
          keepsFailures: run.failuresKept,
        };
      }),
    countEarlier: (runId, country, { steps, outcomes, step }) =>
      atOnce(() =>
        feedsOf(database, runId, country).reduce((sum, { feedId, fedUsers, heldOutUsers }) => {
          const lines = stepLines(fedUsers, totalsOf(database, feedId), steps, heldOutUsers);
          return sum + countOutcomes(lines, outcomes, step);
        }, 0),
      ),
    firstBatchAfter: (feedId, after) =>
      atOnce(() => {
        const fed = fedBatchesOf(database, feedId);
        const behind = fed.find(({ users }) => compareUserIds(users.at(-1) ?? '', after) > 0);
        return behind?.batchNo ?? fed.length + 1;
      }),
    earlierPage: (of, fromBatchNo) => atOnce(() => earlierPage(database, of, fromBatchNo)),
  };
}

function earlierPage(
  database: MemoryDatabase,
  { feedId, steps, outcomes, step }: EarlierUsers,
  from: number,
): EarlierPage | undefined {
  const feed = database.feeds.get(feedId);
  if (!feed) return undefined;
  const nextBatchNo = Math.min(from + batchesPerPage, feed.nextBatchNo);
  const fed = fedBatchesOf(database, feedId).filter(({ batchNo }) => batchNo >= from && batchNo < nextBatchNo);
  if (fed.length < nextBatchNo - from) return undefined;
  const users = fed.flatMap((batch) => batch.users);
  const place = { nextBatchNo: Math.max(nextBatchNo, from), isLast: nextBatchNo >= feed.nextBatchNo };
  if (!outcomes) return { users, ...place };
  const batches = [...database.batches.values()].filter((batch) => batch.feedId === feedId);
  const rests = [...database.steps.values()].flatMap(({ feedId: of, batchNo, step: at, rest }) =>
    of === feedId && rest !== null ? [{ batchNo, step: at, rest }] : [],
  );
  const failures = database.failures.filter((failure) => failure.feedId === feedId && failure.batchNo > 0);
  const found = outcomesOfUsers({ batches, rests, failures }, steps, step);
  const wanted = new Set<string | undefined>(outcomes);
  return { users: users.filter((user) => wanted.has(found.get(user))), ...place };
}

function feedsOf({ feeds }: MemoryDatabase, runId: string, country: string): FeedRow[] {
  return [...feeds.values()]
    .filter((feed) => feed.runId === runId && feed.country === country)
    .sort((a, b) => (a.feedId < b.feedId ? -1 : 1));
}

function fedBatchesOf({ batches }: MemoryDatabase, feedId: string): BatchRow[] {
  return [...batches.values()]
    .filter((batch) => batch.feedId === feedId && !isChildBatch(batch.batchNo))
    .sort((a, b) => a.batchNo - b.batchNo);
}
