import type { JobOutcome, JobShape, JobState } from '../../../../shared/contracts/jobs/shown-jobs.ts';
import type { WithDates } from '../../../../shared/postgres/connection/rows.ts';

export interface JobRecord {
  jobId: string;
  clientId: string;
  state: JobState;
  scheduledFor: Date;
  /** Null while it is sidelined, and when it has ended; while it waits for its turn, when it would be due alone. */
  dueAt: Date | null;
  acceptedAt: Date;
  expiresAt: Date | null;
  endedAt: Date | null;
  attempt: number;
  method: string;
  url: string;
  key: string | null;
  tags: string[];
  scheduleId: string | null;
  /** The job that it sends again. */
  repeats: string | null;
  orderingKey: string | null;
  /** Null without such a key. */
  inOrder: boolean | null;
  sideline: string | null;
  /** Why it is dead. */
  cause: string | null;
  /** As `readOwnTerms` reads them. */
  terms: string | null;
}

/** Headers (JSON) and body are kept as long as the outcome; a body where its client has them kept. */
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
  outcome: JobOutcome | 'firing' | 'reporting';
}
