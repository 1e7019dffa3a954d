import type { HeldLease } from '../../../shared/ports/leases.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { DueJobs } from '../ports/due-jobs.ts';

/** Jobs taken in one transaction, at most. */
const maxJobsPerFire = 500;

export interface FireJobsDeps {
  dueJobs: DueJobs;
  /** New jobs may fall due before the ones that are known: look again after this at the latest. */
  pollMs: number;
  /** The lease, while it is certainly ours. */
  held: () => HeldLease | null;
  /** The database says that the lease is not ours. */
  leaseLost: () => void;
  logger: Logger;
}

/** Makes runs of what is due. Returns how long to wait before looking again, in milliseconds. */
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
