import type { Clock } from '../../shared/ports/clock.ts';
import type { Leases } from '../../shared/ports/leases.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import type { HistoryTerms, JobHistory } from './ports/job-history.ts';

const keepEveryMs = 3_600_000;
/** A drop waits for who reads the day: one that hangs is no reason for another to try as well. */
const leaseMs = 600_000;

export interface HistoryKeeperDeps {
  history: JobHistory;
  leases: Leases;
  terms: HistoryTerms;
  owner: string;
  clock: Clock;
  logger: Logger;
}

/** The node that gets the lease first keeps the history of jobs in order, once an hour. */
export function createHistoryKeeper({ history, leases, terms, owner, clock, logger }: HistoryKeeperDeps): Loop {
  return createLoop({
    name: 'keep-job-history',
    turn: async () => {
      if (!(await leases.acquire('job-history', owner, leaseMs))) return keepEveryMs;
      const kept = await history.keep(terms);
      if (Object.values(kept).some((count) => count > 0)) logger.info({ ...kept }, 'history of jobs kept in order');
      return keepEveryMs;
    },
    afterErrorMs: 60_000,
    clock,
    logger,
  });
}
