import type { HeldLease } from '../../../shared/ports/leases.ts';

/** A run that a due job has become. */
export interface StartedRun {
  runId: string;
  campaignId: string;
  /**
   * False when there was a run of this campaign for this time already: the job is gone, and nothing else has changed.
   */
  isNew: boolean;
}

/** A job whose campaign has no such revision: it can never become a run. */
export interface OrphanedJob {
  jobId: string;
  campaignId: string;
  revision: number;
}

export interface Fired {
  /** False when the lease had been lost: nothing was taken. */
  leaseHeld: boolean;
  /** In the order of their due times. */
  runs: StartedRun[];
  /** Taken out and dropped. */
  orphans: OrphanedJob[];
  /** Until the next job is due, by the database's clock; null when there is none. */
  nextDueInMs: number | null;
}

export interface DueJobs {
  /**
   * In one transaction: checks the lease by its token, takes at most `limit` jobs that are due by the database's clock,
   * and inserts a run in state `preparing` for each, once for a campaign and a time. A crash leaves the job, or the run
   * in its place; never neither, never both.
   */
  fire(lease: HeldLease, limit: number): Promise<Fired>;
}
