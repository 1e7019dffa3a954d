import { z } from 'zod';
import { jobOutcomes, jobStates } from '../../../../shared/contracts/jobs/jobs.ts';

const record = {
  jobId: z.string(),
  clientId: z.string(),
  state: z.enum(jobStates),
  scheduledFor: z.date(),
  /** Null while it is sidelined, and when it has ended. */
  dueAt: z.date().nullable(),
  /** Null where it has ended. */
  acceptedAt: z.date().nullable(),
  expiresAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  attempt: z.int(),
  method: z.string(),
  url: z.string(),
  key: z.string().nullable(),
  tags: z
    .array(z.string())
    .nullable()
    .transform((tags) => tags ?? []),
  scheduleId: z.string().nullable(),
  sideline: z.string().nullable(),
  /** Why it is dead. */
  cause: z.string().nullable(),
};

export const jobRecord = z.object(record);

export type JobRecord = z.output<typeof jobRecord>;

/** Headers (JSON) and body are there until it has ended, and of a dead one until that is forgotten. */
export const wholeRow = z.object({ ...record, headers: z.string().nullable(), body: z.string().nullable() });

export const attemptRow = z.object({
  attempt: z.int(),
  at: z.date(),
  status: z.int().nullable(),
  latencyMs: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable(),
});

export interface WholeJob extends z.output<typeof wholeRow> {
  /** Oldest first. */
  attempts: z.output<typeof attemptRow>[];
}

export const fateRow = z.object({ id: z.string(), outcome: z.enum(jobOutcomes).nullable() });
