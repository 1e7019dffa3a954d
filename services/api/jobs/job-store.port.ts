import type { JobOutcome, JobState } from '../../../shared/contracts/jobs/jobs.ts';
import type { Page } from '../campaigns/campaign-store.port.ts';

export interface JobRecord {
  jobId: string;
  clientId: string;
  state: JobState;
  scheduledFor: Date;
  /** Null while it is sidelined, and when it has ended. */
  dueAt: Date | null;
  /** Null where it has ended. */
  acceptedAt: Date | null;
  expiresAt: Date | null;
  endedAt: Date | null;
  attempt: number;
  method: string;
  url: string;
  key: string | null;
  tags: string[];
  scheduleId: string | null;
  sideline: string | null;
  /** Why it is dead. */
  cause: string | null;
}

export interface JobAttempt {
  attempt: number;
  at: Date;
  status: number | null;
  latencyMs: number | null;
  error: string | null;
  answer: string | null;
}

export interface WholeJob extends JobRecord {
  /** JSON. Kept until it has ended, and of a dead one until that is forgotten. */
  headers: string | null;
  body: string | null;
  /** Oldest first. */
  attempts: JobAttempt[];
}

export interface JobFilter {
  clientId?: string | undefined;
  /** Those that have not ended unless given. For what has ended or is sidelined, the client has to be given. */
  state?: JobState | undefined;
  tag?: string | undefined;
  /** Inclusive; of the due time, or of the time that an ended one was scheduled for. */
  dueFrom?: Date | undefined;
  /** Exclusive. */
  dueUntil?: Date | undefined;
}

export type NewDueTime = { dueAt: Date } | { delayMs: number };

/** Whether a job could be changed: what is being called, or has ended, stays as it is. */
export type JobChanged =
  { kind: 'changed' } | { kind: 'firing' } | { kind: 'ended'; outcome: JobOutcome } | { kind: 'missing' };

export interface JobStore {
  find(jobId: string): Promise<WholeJob | undefined>;
  /**
   * What has not ended by due time; what has, newest first. One page looks at a bounded number of jobs, so it may hold fewer than asked for, or
   * none, and still not be the last.
   */
  list(filter: JobFilter, limit: number, cursor: string | null): Promise<Page<JobRecord>>;
  /** Takes back each that nobody is calling, and counts it as cancelled. In the order of the ids, which have to differ. */
  cancel(jobIds: readonly string[]): Promise<JobChanged[]>;
  /** Moves each that nobody is calling, with its expiry; sidelined ones are due again then. In the order of the ids, which have to differ. */
  move(jobIds: readonly string[], to: NewDueTime): Promise<JobChanged[]>;
}
