import type { JobOutcome, JobShape, JobState } from '../../../../shared/contracts/jobs/job-shapes.ts';
import type { WithDates } from '../../../../shared/postgres/connection/rows.ts';

export interface JobRecord {
  jobId: string;
  clientId: string;
  state: JobState;
  scheduledFor: Date;
  /** Null for a sidelined or ended job. For a job waiting for its turn, the due time without an ordering key. */
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
   * True if the jobs of the key run in their order, false if they only exclude each other. Null without an ordering
   * key.
   */
  inOrder: boolean | null;
  sideline: string | null;
  cause: string | null;
  /** JSON in the form that `readOwnTerms` parses. */
  terms: string | null;
}

/** Headers (JSON) and body are stored as long as the outcome; a body only if its client stores bodies. */
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
