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
  status: z.int().nullable().describe('null where nothing was answered'),
  latencyMs: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable().describe('The first 4 KB of it'),
});

/** Headers in responses. Values that may be credentials for the receiver are write-only. */
export const shownHeaders = z.record(
  z.string(),
  z.union([z.string(), z.object({ set: z.literal(true), length: z.int().describe('In characters') })]),
);

export type ShownHeaders = z.output<typeof shownHeaders>;

export const jobShape = z
  .object({
    id: z.string(),
    clientId: z.string(),
    state: z.enum(jobStates),
    scheduledFor: time.describe('When it was meant to be called; a retry does not move it'),
    dueAt: time
      .nullable()
      .describe(
        'When it is called next, one that is waiting at the soonest; of one that is reporting, until when its receiver ' +
          'may report; null where nobody knows, or never',
      ),
    acceptedAt: time,
    expiresAt: time.nullable(),
    endedAt: time.nullable(),
    attempt: z.int().describe('Of the call that comes next, or of the last one'),
    endpoint: z.string().describe('That it is called through: `default` if it names none'),
    method: z.string(),
    url: z.string(),
    headers: shownHeaders.nullable(),
    template: z.boolean().describe('Its body and headers are shown as they were given; each call fills their names in'),
    body: z.string().nullable().describe('Kept as long as the outcome, unless its client says keepBodies: false'),
    withheld: z.boolean().describe('true: body and answers are not shown to a key that only looks'),
    idempotencyKey: z.string().nullable(),
    tags: z.array(z.string()),
    scheduleId: z.string().nullable(),
    repeats: z.string().nullable().describe('The job that it sends again'),
    orderingKey: z.string().nullable().describe('Of those with this key, one is called at a time'),
    ordering: z.enum(jobOrderings).nullable(),
    priority: jobPriority,
    retry: retryStrategy.nullable().describe('Its own; null: as its endpoint says'),
    timeoutMs: z.int().nullable().describe('The same'),
    finalCodes: z.array(z.int()).nullable().describe('The same'),
    reportWithinSeconds: z.int().nullable().describe('The same'),
    sidelinedFor: z.string().nullable().describe('The host that it waits for'),
    traceId: z
      .string()
      .optional()
      .describe('Of its calls, where it was brought within a trace or is one that is recorded'),
    cause: z.string().nullable().describe('Why it is dead'),
    attempts: z.array(attempt).describe('Calls that were made, oldest first'),
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
