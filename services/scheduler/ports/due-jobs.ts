import type { HeldLease } from '../../../shared/ports/leases.ts';

export interface StartedRun {
  runId: string;
  campaignId: string;
  /** False if the campaign already had a run for this time. The job was then deleted, and nothing else has changed. */
  isNew: boolean;
}

/** A job whose campaign does not have the job's revision, so that the job can never become a run. */
export interface OrphanedJob {
  jobId: string;
  campaignId: string;
  revision: number;
}

export interface Fired {
  /** False if this process has lost the lease. Nothing was changed then. */
  leaseHeld: boolean;
  /** The runs of the deleted jobs, in the order of the jobs' due times. */
  runs: StartedRun[];
  /** Jobs that were deleted without a run. */
  orphans: OrphanedJob[];
  /** Milliseconds until the next job is due, by the database's clock; null if there is none. */
  nextDueInMs: number | null;
}

export interface DueJobs {
  /**
   * Creates runs in state `preparing` from at most `limit` jobs that are due by the database's clock. Each campaign
   * gets at most one run per time. One transaction checks the lease, creates the runs and deletes the jobs. A crash
   * therefore leaves either a job or its run.
   */
  fire(lease: HeldLease, limit: number): Promise<Fired>;
}
