import { v7 as uuidv7 } from 'uuid';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { stepUnitsOf } from './budgets.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { standingFailures } from './standing-failures.ts';
import { addRunEvent } from './run-events.ts';
import { feedsOf, unfed, waitsNot } from './run-feeds.ts';

/** Begins a retry. The failed users at this moment are stored by country, variant and step. */
export function beginRetry(database: MemoryDatabase, runId: string): number | null {
  const { runs, feeds, retryUsers, clock } = database;
  const row = runs.get(runId);
  if (row?.state !== 'preparing' || !row.retry || row.parentId === null) return null;
  const standing = standingFailures(database, row.parentId, row.retry, row.createdAt);
  const places = Map.groupBy(standing, ({ country, variant, step }) => `${country}/${variant}/${step}`);
  const batchUsers = Math.min(...feedsOf(database, row.parentId).map((feed) => feed.batchUsers));
  let users = 0;
  for (const ofPlace of places.values()) {
    const [first] = ofPlace;
    if (!first) continue;
    const feedId = uuidv7();
    const ids = [...new Set(ofPlace.map(({ user }) => user))].sort(compareUserIds);
    retryUsers.set(feedId, ids);
    const { country, variant, step } = first;
    const audience = segmentAlone({ segment: '', snapshot: '', estimate: ids.length });
    const stepUnits = stepUnitsOf(database, row.campaignId, country);
    feeds.set(feedId, { ...unfed, country, variant, audience, fromStep: step, feedId, runId, batchUsers, stepUnits });
    users += ids.length;
  }
  if (users === 0) return 0;
  Object.assign(row, { state: 'running', ...waitsNot, stateSince: clock.now(), startedAt: clock.now() });
  addRunEvent(database, runId, 'begun', { feeds: places.size });
  return users;
}
