import type { HeldLease } from '../../../shared/ports/leases.ts';

export interface StartedRun {
  runId: string;
  campaignId: string;
  /** False if a run of this campaign for this time existed: the job is deleted, nothing else has changed. */
  isNew: boolean;
}

/** A job whose campaign has no such revision, so that it can never become a run. */
export interface OrphanedJob {
  jobId: string;
  campaignId: string;
  revision: number;
}

export interface Fired {
  /** False if the lease was lost: nothing was changed. */
  leaseHeld: boolean;
  /** In the order of their due times. */
  runs: StartedRun[];
  /** Deleted without a run. */
  orphans: OrphanedJob[];
  /** Milliseconds until the next job is due, by the database's clock; null if there is none. */
  nextDueInMs: number | null;
}

export interface DueJobs {
  /**
   * Creates runs in state `preparing` from at most `limit` jobs that are due by the database's clock, one run per
   * campaign and time. One transaction checks the lease and deletes the jobs, so a crash leaves either the job or its
   * run.
   */
  fire(lease: HeldLease, limit: number): Promise<Fired>;
}
