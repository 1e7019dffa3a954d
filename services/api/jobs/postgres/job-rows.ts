import type { JobOutcome, JobShape, JobState } from '../../../../shared/contracts/jobs/job-shapes.ts';
import type { WithDates } from '../../../../shared/postgres/connection/rows.ts';

export interface JobRecord {
  jobId: string;
  clientId: string;
  state: JobState;
  scheduledFor: Date;
  /**
   * Time at which the job is due; null for a sidelined or ended job. For a job that waits for an earlier job with the
   * same ordering key, the time at which it would be due without the key.
   */
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
  /** Id of the job that this job resends. */
  repeats: string | null;
  orderingKey: string | null;
  /**
   * True if the jobs with the ordering key run in their order, false if they only never run at the same time. Null
   * without an ordering key.
   */
  inOrder: boolean | null;
  sideline: string | null;
  cause: string | null;
  /** Terms as JSON, in the form that `readOwnTerms` parses. */
  terms: string | null;
}

/**
 * Job with headers (JSON) and body, which are stored as long as the result of the job. A body is stored only if the
 * settings of the client permit it.
 */
export interface WholeRow extends JobRecord {
  headers: string | null;
  body: string | null;
}

export type JobAttempt = WithDates<JobShape['attempts'][number], 'at'>;

export interface WholeJob extends WholeRow {
  attempts: JobAttempt[];
}

export interface FateRow {
  id: string;
  outcome: JobOutcome | 'firing' | 'reporting';
}
