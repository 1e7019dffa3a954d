import type { HeldLease } from '../../../shared/ports/leases.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { DueJobs } from '../ports/due-jobs.ts';

const maxJobsPerFire = 500;

export interface FireJobsDeps {
  dueJobs: DueJobs;
  /**
   * Maximum time in milliseconds until the next read. A job that is added meanwhile may be due before all jobs that are
   * known.
   */
  pollMs: number;
  /** Returns the lease while this process certainly holds it; otherwise null. */
  held: () => HeldLease | null;
  /** Called if the database reports that another process holds the lease. */
  leaseLost: () => void;
  logger: Logger;
}

/** Creates runs from due jobs. Returns the milliseconds after which the caller calls this function again. */
export async function fireJobs({ dueJobs, pollMs, held, leaseLost, logger }: FireJobsDeps): Promise<number> {
  const lease = held();
  if (!lease) return pollMs;

  const { leaseHeld, runs, orphans, nextDueInMs } = await dueJobs.fire(lease, maxJobsPerFire);
  if (!leaseHeld) {
    leaseLost();
    return pollMs;
  }
  for (const { runId, campaignId, isNew } of runs) logger.info({ runId, campaignId, isNew }, 'run created');
  for (const orphan of orphans) logger.error(orphan, 'a job fell due whose campaign has no such revision, dropped');
  return runs.length + orphans.length === maxJobsPerFire ? 0 : Math.min(nextDueInMs ?? pollMs, pollMs);
}
