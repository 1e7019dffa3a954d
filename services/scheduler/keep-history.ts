import type { Clock } from '../../shared/ports/clock.ts';
import type { Leases } from '../../shared/ports/leases.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import { processMetrics } from '../../shared/runtime/meter/process-metrics.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import type { HistoryTerms, JobHistory } from './ports/job-history.ts';

const keepEveryMs = 3_600_000;
/**
 * Time in milliseconds until the next attempt, if a long-running reader blocked the creation or removal of a table
 * partition.
 */
const againAfterMs = 300_000;
/**
 * Duration of the lease in milliseconds. It is longer than a turn plus `againAfterMs`, so that no other scheduler makes
 * an attempt in between.
 */
const leaseMs = 600_000;

export interface HistoryKeeperDeps {
  history: JobHistory;
  leases: Leases;
  terms: HistoryTerms;
  meter: Meter;
  owner: string;
  clock: Clock;
  logger: Logger;
}

/** Maintains the history of jobs once an hour, on the process that acquires the lease first. */
export function createHistoryKeeper({ history, leases, terms, meter, owner, clock, logger }: HistoryKeeperDeps): Loop {
  const heldUp = meter.counter(processMetrics.partitionsHeldUp).of({});
  return createLoop({
    name: 'keep-job-history',
    turn: async () => {
      if (!(await leases.acquire('job-history', owner, leaseMs))) return keepEveryMs;
      const kept = await history.keep(terms);
      if (Object.values(kept).some((count) => count > 0)) logger.info({ ...kept }, 'history of jobs kept in order');
      if (kept.heldUp === 0) return keepEveryMs;
      heldUp.add(kept.heldUp);
      logger.warn({ partitions: kept.heldUp }, 'long readers hold up the days of jobs, trying again in minutes');
      return againAfterMs;
    },
    afterErrorMs: 60_000,
    clock,
    logger,
  });
}
