import { firstChildBatchNo, usualBatchUsers } from '../../../shared/domain/step/batch.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';

/** Fields of a feed in which no user was fed. */
export const unfed = {
  variant: null,
  fromStep: 1,
  cursor: null,
  batchUsers: usualBatchUsers,
  nextBatchNo: 1,
  nextChildNo: firstChildBatchNo,
  fedUsers: 0,
  heldOutUsers: 0,
  excludedUsers: 0,
  usersAtMost: null,
  canaryUsers: null,
  complete: false,
  stalled: null,
  owner: null,
  token: 0,
  leaseUntilMs: 0,
  stalledUntilMs: null,
  stalls: 0,
  stepUnits: null,
} as const;

export const waitsNot = { waitingCause: null, waitingSince: null };

export function feedsOf({ feeds }: MemoryDatabase, runId: string): FeedRow[] {
  return [...feeds.values()].filter((row) => row.runId === runId).sort((a, b) => (a.country < b.country ? -1 : 1));
}

/** Returns true if the run of the feed is dry, so that its batches are never called. */
export function isDryFeed({ runs }: MemoryDatabase, { runId }: FeedRow): boolean {
  return runs.get(runId)?.kind === 'dry-run';
}
