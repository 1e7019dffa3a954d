import { z } from 'zod';
import { outcomes } from '../../domain/step/outcomes.ts';
import { variantOfUser } from './step-lines.ts';
import { runStates } from '../../domain/run/run-states.ts';

const time = z.iso.datetime({ precision: 3 });

/**
 * Places of a user relative to the audience.
 * - `member`: in the audience. `unsendable`: also in the audience, but the id breaks a rule, so the user was never
 *   sent.
 * - `not-fed-yet`: a feed has not reached the user. `never-fed`: the run ended before a feed did.
 * - `absent`: every feed has passed the user's place without finding the user. `held-out`: the same, and the hold-out
 *   rule selects the user.
 * - `not-kept`: the users of the run have been deleted since.
 */
export const audiencePlaces = [
  'member',
  'unsendable',
  'not-fed-yet',
  'never-fed',
  'absent',
  'held-out',
  'not-kept',
] as const;

export type AudiencePlace = (typeof audiencePlaces)[number];

/**
 * Results of a call for the user. `lost`: its worker was lost before the call was answered. `unchecked`: no call was
 * made, because the step's check gave no answer.
 */
export const attemptResults = [
  'succeeded',
  'failed',
  'unknown',
  'retryable',
  'missing',
  'refused',
  'misconfigured',
  'not-applied',
  'ambiguous',
  'lost',
  'unchecked',
] as const;

export type AttemptResult = (typeof attemptResults)[number];

const attempt = z.object({
  attempt: z.int().min(1),
  at: time,
  batchNo: z.int().min(0),
  idempotencyKey: z.string().describe('Idempotency key of the call, which its receiver can search for'),
  result: z.enum(attemptResults),
  code: z.string().nullable(),
  message: z.string().nullable(),
});

const countedEffect = z.object({
  runId: z.string().nullable().describe('Null if the key may not read the campaign'),
  campaignId: z.string().nullable().describe('As `runId`'),
  campaignName: z.string().nullable().describe('As `runId`'),
  step: z.int().min(1),
  action: z.string(),
  at: time.describe('Time of the last claim, which the call followed'),
});

const explainedStep = z.object({
  step: z.int().min(1),
  action: z.string(),
  outcome: z.enum([...outcomes, 'pending']),
  /** Reason of the outcome. Only users who failed, are unknown, or were unknown until they were settled have one. */
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  endedAt: time.nullable(),
  /** Cause for which a pending step waits. The wait ends at `nextAttemptAt`. */
  waitsFor: z.string().nullable(),
  nextAttemptAt: time.nullable(),
  receipt: z
    .object({
      status: z.enum(['delivered', 'undelivered']),
      code: z.string().nullable(),
      at: time.describe('Time of the delivery or failure, reported by the provider'),
      receivedAt: time,
    })
    .nullable()
    .default(null)
    .describe('Last receipt of the provider for the accepted user'),
  attempts: z.array(attempt).describe('All calls for this user, oldest first'),
  counted: z
    .array(countedEffect)
    .max(10)
    .optional()
    .describe(
      'Present if a cap suppressed the user: the earlier effects that it counted, newest first, as far as kept',
    ),
});

export const userExplanation = z
  .object({
    runId: z.string(),
    campaignId: z.string(),
    userId: z.string(),
    state: z.enum(runStates).describe("The run's"),
    asOf: time,
    audience: z.object({
      place: z.enum(audiencePlaces),
      country: z.string().nullable(),
      detail: z.string().describe('Reason in words'),
    }),
    variant: variantOfUser,
    /** The batch that the user was fed with, then the child batches in which the user continued. */
    batches: z.array(
      z.object({
        batchNo: z.int().min(0),
        parent: z.int().nullable(),
        fromStep: z.int().min(1),
        users: z.int().min(0),
        traceId: z.string().optional().describe('Present if tracing is on and the trace of this batch is recorded'),
      }),
    ),
    steps: z.array(explainedStep).describe('Empty for a user outside the audience'),
    receiptsDeletedAt: time
      .nullable()
      .default(null)
      .describe(
        'Time at which the receipts of the run were deleted: `receipt` is null since then, even if the user had one. Null while they are kept',
      ),
  })
  .meta({ id: 'UserExplanation' });

export type UserExplanation = z.infer<typeof userExplanation>;
