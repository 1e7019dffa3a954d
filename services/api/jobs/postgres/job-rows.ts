import { z } from 'zod';
import { jobOutcomes, jobStates } from '../../../../shared/contracts/jobs/jobs.ts';

const record = {
  jobId: z.string(),
  clientId: z.string(),
  state: z.enum(jobStates),
  scheduledFor: z.date(),
  dueAt: z.date().nullable(),
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
  cause: z.string().nullable(),
};

export const jobRecord = z.object(record);

export const wholeRow = z.object({ ...record, headers: z.string().nullable(), body: z.string().nullable() });

export const attemptRow = z.object({
  attempt: z.int(),
  at: z.date(),
  status: z.int().nullable(),
  latencyMs: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable(),
});

export const fateRow = z.object({ id: z.string(), outcome: z.enum(jobOutcomes).nullable() });
