import { reasons } from '../../../shared/domain/step/reasons.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import type { RetryRequest } from './run-tables.ts';
import type { FailureRow } from './step-tables.ts';

export interface StandingFailure {
  country: string;
  variant: number | null;
  step: number;
  user: string;
  reason: string;
}

/**
 * Returns the current failures: those whose users no later run of the family has retried. Runs of a family are in the
 * order of their creation, because a Map keeps that order.
 */
export function standingFailures(
  database: MemoryDatabase,
  rootId: string,
  { of, steps, countries, reasons: wanted }: RetryRequest,
  until: Date,
): StandingFailure[] {
  const family = [...database.runs.values()].filter(({ id, parentId }) => id === rootId || parentId === rootId);
  return family
    .flatMap((run, place) => {
      if (of !== null && run.id !== of) return [];
      const later = family.slice(place + 1).flatMap((child) => feedsOf(database, child.id));
      return feedsOf(database, run.id).flatMap((feed) =>
        database.failures
          .filter((row) => row.feedId === feed.feedId && row.failedAt <= until && isMeant(row))
          .filter(
            ({ user }) => !later.some((other) => other.country === feed.country && hasTakenOn(database, other, user)),
          )
          .map(({ step, user, reason }) => ({ country: feed.country, variant: feed.variant, step, user, reason })),
      );
    })
    .filter(({ country }) => countries?.includes(country) ?? true);

  function isMeant({ outcome, reason, step }: FailureRow): boolean {
    const isFailed = outcome === 'failed' && reason !== reasons.invalidUserId;
    return isFailed && (steps?.includes(step) ?? true) && (wanted?.includes(reason) ?? true);
  }
}

function hasTakenOn({ retryUsers }: MemoryDatabase, { feedId, complete, cursor }: FeedRow, user: string): boolean {
  if (!retryUsers.get(feedId)?.includes(user)) return false;
  return complete || (cursor !== null && compareUserIds(user, cursor) <= 0);
}

function feedsOf({ feeds }: MemoryDatabase, runId: string): FeedRow[] {
  return [...feeds.values()].filter((feed) => feed.runId === runId);
}
