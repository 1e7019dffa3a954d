import type { JobOutcome, JobShape, JobState } from '../../../../shared/contracts/jobs/jobs.ts';
import type { WithDates } from '../../../../shared/postgres/connection/rows.ts';

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

/** Headers (JSON) and body are there until it has ended, and of a dead one until that is forgotten. */
export interface WholeRow extends JobRecord {
  headers: string | null;
  body: string | null;
}

export type JobAttempt = WithDates<JobShape['attempts'][number], 'at'>;

export interface WholeJob extends WholeRow {
  /** Oldest first. */
  attempts: JobAttempt[];
}

export interface FateRow {
  id: string;
  outcome: JobOutcome | null;
}
