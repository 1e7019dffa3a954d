import type { HeldLease } from '../../../shared/ports/leases.ts';

/** A job that fell due: the start of a campaign's run. */
export interface DueJob {
  job: string;
  campaignId: string;
  revision: number;
  dueAt: Date;
}

export interface Fired {
  /** False when the lease had been lost: nothing was taken. */
  leaseHeld: boolean;
  fired: number;
  /** Until the next job is due, by the database's clock; null when there is none. */
  nextDueInMs: number | null;
}

export interface DueJobs {
  /**
   * In one transaction: checks the lease by its token, takes at most `limit` jobs that are due by the database's clock, publishes them,
   * and only then commits. A crash anywhere repeats a fire or leaves the job; it never loses it.
   */
  fire(lease: HeldLease, limit: number, publish: (jobs: readonly DueJob[]) => Promise<void>): Promise<Fired>;
}
