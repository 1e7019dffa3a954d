import { z } from 'zod';
import { jobPriority, retryStrategy } from './call-terms.ts';
import { jobOrderings } from './job-keys.ts';

const time = z.iso.datetime({ precision: 3 });

export const jobOutcomes = ['called', 'expired', 'cancelled', 'dead'] as const;

export type JobOutcome = (typeof jobOutcomes)[number];

/**
 * States of a job. `waiting`: other jobs of its ordering key come first. `firing`: a dispatcher owns the job.
 * `reporting`: its receiver has answered 202, and its report is outstanding. `sidelined`: the job waits until its host
 * answers again.
 */
export const jobStates = ['pending', 'waiting', 'firing', 'reporting', 'sidelined', ...jobOutcomes] as const;

export type JobState = (typeof jobStates)[number];

const attempt = z.object({
  attempt: z.int(),
  at: time,
  status: z.int().nullable().describe('null if there was no answer'),
  latencyMs: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable().describe('First 4 KB of the answer'),
});

/** Headers in responses. Values that may be credentials for the receiver are write-only. */
export const maskedHeaders = z.record(
  z.string(),
  z.union([z.string(), z.object({ set: z.literal(true), length: z.int().describe('In characters') })]),
);

export type MaskedHeaders = z.output<typeof maskedHeaders>;

export const jobShape = z
  .object({
    id: z.string(),
    clientId: z.string(),
    state: z.enum(jobStates),
    scheduledFor: time.describe('Originally scheduled time; retries do not change it'),
    dueAt: time
      .nullable()
      .describe(
        'Time of the next call (for a waiting job the earliest time); for a reporting job the time until which its receiver ' +
          'may report; null if unknown, or if there is no further call',
      ),
    acceptedAt: time,
    expiresAt: time.nullable(),
    endedAt: time.nullable(),
    attempt: z.int().describe('Number of the next call, or of the last one'),
    endpoint: z.string().describe('Endpoint of the call; `default` if the job names none'),
    method: z.string(),
    url: z.string(),
    headers: maskedHeaders.nullable(),
    template: z
      .boolean()
      .describe('true: body and headers are templates, returned as given; each call fills in their names'),
    body: z.string().nullable().describe('Kept as long as the outcome, unless its client has keepBodies: false'),
    withheld: z.boolean().describe('true: body and answers are not returned to a read-only key'),
    idempotencyKey: z.string().nullable(),
    tags: z.array(z.string()),
    scheduleId: z.string().nullable(),
    repeats: z.string().nullable().describe('Job that this one sends again'),
    orderingKey: z.string().nullable().describe('Jobs with this key are called one at a time'),
    ordering: z.enum(jobOrderings).nullable(),
    priority: jobPriority,
    retry: retryStrategy.nullable().describe('Own setting of the job; null: that of its endpoint'),
    timeoutMs: z.int().nullable().describe('Own setting of the job; null: that of its endpoint'),
    finalCodes: z.array(z.int()).nullable().describe('Own setting of the job; null: that of its endpoint'),
    reportWithinSeconds: z.int().nullable().describe('Own setting of the job; null: that of its endpoint'),
    sidelinedFor: z.string().nullable().describe('Host that a sidelined job waits for'),
    traceId: z.string().optional().describe('Trace of its calls, if it was submitted within a trace or is recorded'),
    cause: z.string().nullable().describe('Reason why it is dead'),
    attempts: z.array(attempt).describe('Calls made, oldest first'),
    links: z.object({ self: z.string(), client: z.string() }),
  })
  .meta({ id: 'Job' });

export type JobShape = z.output<typeof jobShape>;

/** A job in a list, without fields that may be large. */
export const jobSummary = jobShape
  .omit({ headers: true, template: true, body: true, withheld: true, attempts: true, traceId: true })
  .omit({ retry: true, timeoutMs: true, finalCodes: true, reportWithinSeconds: true })
  .meta({ id: 'JobSummary' });

export type JobSummary = z.output<typeof jobSummary>;

export const cancelAnswers = ['cancelled', 'too-late', 'called'] as const;

/** `too-late`: a call is in progress, or the job has ended with another outcome. */
export type CancelAnswer = (typeof cancelAnswers)[number];

export const cancelledJob = z.object({ id: z.string(), result: z.enum(cancelAnswers) }).meta({ id: 'CancelledJob' });
