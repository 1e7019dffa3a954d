import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ShardRefusal, ShardReport } from '../../../shared/ports/shard-reports.ts';
import type { ShardReports } from './shard-reports.port.ts';
import type { ShardLevels } from './worker-meter.ts';

const pollEveryMs = 2000;
/**
 * Milliseconds after which a report is repeated although nothing has changed. A worker without a report for longer than
 * this counts as gone.
 */
const repeatReportAfterMs = 20_000;

export interface ReportShardsDeps {
  worker: string;
  reports: ShardReports;
  levels: () => readonly ShardLevels[];
  refusals: () => readonly ShardRefusal[];
  clock: Clock;
  logger: Logger;
}

/**
 * Loop that reports the state of this worker's shards. It checks every two seconds, and reports the shards that have
 * changed.
 */
export interface ShardReporter {
  start(): void;
  /** Stops the loop and withdraws the reports. */
  stop(): Promise<void>;
}

export function createShardReporter({
  worker,
  reports,
  levels,
  refusals,
  clock,
  logger,
}: ReportShardsDeps): ShardReporter {
  let recorded = new Map<string, number>();
  let readAtMs = clock.monotonicMs();
  let reported = new Map<string, ShardReport>();
  let reportedAtMs = -Infinity;

  async function turn(): Promise<number> {
    const nowMs = clock.monotonicMs();
    const seconds = Math.max(0.001, (nowMs - readAtMs) / 1000);
    const now = levels();
    const current = new Map([
      ...refusals().map((refusal): [string, ShardReport] => [keyOf(refusal), refusalReport(refusal)]),
      // A level replaces a refusal of the same shard: the worker may still have claims of a shard that it refuses now.
      ...now.map((level): [string, ShardReport] => [keyOf(level.shard), reportOf(level, recorded, seconds)]),
    ]);
    recorded = new Map(now.map((level) => [keyOf(level.shard), level.recorded]));
    readAtMs = nowMs;

    const gone = [...reported].filter(([key]) => !current.has(key)).map(([, report]) => report);
    if (gone.length > 0) await reports.withdraw(worker, gone);
    const sayAll = nowMs - reportedAtMs >= repeatReportAfterMs;
    const news = [...current].filter(([key, report]) => sayAll || !isSame(report, reported.get(key)));
    if (news.length > 0)
      await reports.report(
        worker,
        news.map(([, report]) => report),
      );
    if (sayAll) reportedAtMs = nowMs;
    reported = current;
    return pollEveryMs;
  }

  const loop = createLoop({ name: 'report-shards', turn, afterErrorMs: pollEveryMs, clock, logger });

  return {
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      // If this fails, no harm is done, because the reports soon count as outdated anyway.
      await reports.withdraw(worker).catch((error: unknown) => {
        logger.debug({ err: error }, 'could not take back what was reported of shards');
      });
    },
  };
}

function reportOf(level: ShardLevels, before: ReadonlyMap<string, number>, seconds: number): ShardReport {
  const { shard, inFlight, limit, waiting, isBreakerOpen, recorded } = level;
  const since = recorded - (before.get(keyOf(shard)) ?? recorded);
  const batchesPerSecond = Math.round((since / seconds) * 10) / 10;
  return { ...shard, inFlight, callLimit: limit, waiting, breakerOpen: isBreakerOpen, batchesPerSecond, refusal: null };
}

function refusalReport({ actionType, country, cause }: ShardRefusal): ShardReport {
  const idle = { inFlight: 0, callLimit: 0, waiting: 0, breakerOpen: false, batchesPerSecond: 0 };
  return { actionType, country, ...idle, refusal: cause };
}

function keyOf({ actionType, country }: Shard): string {
  return `${actionType}/${country}`;
}

function isSame(a: ShardReport, b: ShardReport | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
