import type { UnderWay } from '../../../shared/domain/run/under-way.ts';
import { batchKey, type MemoryDatabase } from './memory-database.ts';
import { totalsRowsOf } from './totals.ts';

/** Returns the work in progress of a run; undefined for a run without feeds. */
export function underWayOf(database: MemoryDatabase, runId: string): UnderWay | undefined {
  const { campaigns, feeds, runs, steps, batches, clock } = database;
  const run = runs.get(runId);
  const own = [...feeds.values()].filter((feed) => feed.runId === runId);
  if (!run || own.length === 0) return undefined;
  const feedIds = new Set(own.map(({ feedId }) => feedId));
  const chainLength = campaigns.get(run.campaignId)?.definition.chain.length ?? 0;
  const held = [...steps.values()].filter(
    (row) => feedIds.has(row.feedId) && row.state === 'running' && row.leaseUntilMs > clock.nowMs(),
  );
  const countryOf = (feedId: string) => feeds.get(feedId)?.country ?? '';
  const usersOf = (rows: typeof held) =>
    rows.reduce((sum, row) => sum + (batches.get(batchKey(row.feedId, row.batchNo))?.users.length ?? 0), 0);
  const lines = own.flatMap(({ feedId }) => totalsRowsOf(database, feedId));
  const waiting = lines.reduce((sum, line) => sum + line.waiting, 0);
  const entered =
    own.reduce((sum, feed) => sum + feed.nextBatchNo - 1, 0) +
    lines.reduce((sum, line) => sum + (line.step < chainLength ? line.survived : 0) + line.created, 0);
  const done = lines.reduce((sum, line) => sum + line.done, 0);
  return {
    inFlight: [...Map.groupBy(held, (row) => `${row.step}/${countryOf(row.feedId)}`)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, rows]) => {
        const [first] = rows;
        const users = usersOf(rows);
        return first ? [{ step: first.step, country: countryOf(first.feedId), batches: rows.length, users }] : [];
      }),
    ready: Math.max(0, entered - done - waiting - held.length),
    waiting: Math.max(0, waiting),
  };
}
