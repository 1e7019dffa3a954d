import { estimateOf } from '../../../shared/contracts/runs/feed-audience.ts';
import type { ShardFigures, ShardWork } from '../../../services/api/shards/shard-figures.port.ts';
import type { ShardReports } from '../../../services/worker/report/shard-reports.port.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';

const goneAfterMs = 60_000;

export function createMemoryShardReports({ database }: { database: MemoryDatabase }): ShardReports {
  const { shardReports, clock } = database;
  return {
    report: (worker, reports) =>
      atOnce(() => {
        for (const report of reports) {
          const key = `${worker}/${report.actionType}/${report.country}`;
          shardReports.set(key, { ...report, worker, reportedAtMs: clock.nowMs() });
        }
      }),
    withdraw: (worker, shards) =>
      atOnce(() => {
        for (const [key, row] of shardReports) {
          const isMeant =
            shards?.some(({ actionType, country }) => row.actionType === actionType && row.country === country) ?? true;
          if (row.worker === worker && isMeant) shardReports.delete(key);
        }
      }),
  };
}

export function createMemoryShardFigures({ database }: { database: MemoryDatabase }): ShardFigures {
  const { shardReports, clock, feeds, runs } = database;
  return {
    reports: () =>
      atOnce(() =>
        [...shardReports.values()]
          .filter(({ reportedAtMs }) => clock.nowMs() - reportedAtMs < goneAfterMs)
          .map(({ reportedAtMs: _at, ...report }) => report)
          .sort((a, b) => (a.worker < b.worker ? -1 : 1)),
      ),
    work: () =>
      atOnce(() => {
        const work = new Map<string, ShardWork>();
        for (const feed of feeds.values()) {
          if (runs.get(feed.runId)?.state === 'running') addWorkOf(database, feed, work);
        }
        return [...work.values()].filter(({ ready, waiting, ahead }) => ready + waiting + ahead > 0);
      }),
  };
}

function addWorkOf({ campaigns, runs, totals }: MemoryDatabase, feed: FeedRow, work: Map<string, ShardWork>): void {
  const { feedId, country, audience, fedUsers, batchUsers, complete, nextBatchNo } = feed;
  const chain = campaigns.get(runs.get(feed.runId)?.campaignId ?? '')?.definition.chain ?? [];
  let ahead = complete ? 0 : Math.max(0, Math.ceil(((estimateOf(audience) ?? 0) - fedUsers) / batchUsers));
  let entered = nextBatchNo - 1;
  for (const [index, { action }] of chain.entries()) {
    const row = totals.get(`${feedId}/${index + 1}`);
    const waiting = Math.max(0, row?.waiting ?? 0);
    const ready = Math.max(0, entered + (row?.born ?? 0) - (row?.done ?? 0) - waiting);
    ahead += ready;
    entered = row?.survived ?? 0;
    const key = `${action}/${country}`;
    const sum = work.get(key) ?? { actionType: action, country, ready: 0, waiting: 0, ahead: 0 };
    work.set(key, { ...sum, ready: sum.ready + ready, waiting: sum.waiting + waiting, ahead: sum.ahead + ahead });
  }
}
