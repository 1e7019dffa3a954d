import { z } from 'zod';
import { outcomes } from '../../domain/step/outcomes.ts';
import { runStates } from '../../domain/run/run-states.ts';

/** HTTP shape of what became of one user in one run. */
const time = z.iso.datetime({ precision: 3 });

/**
 * - `member`: in the audience. `unsendable`: in it too, but its id breaks a rule, so that it was never sent.
 * - `not-fed-yet`: a feed has not come so far. `never-fed`: the run ended before one had.
 * - `absent`: every feed has passed its place without it. `held-out`: so too, and the rule of the hold-out names it.
 * - `not-kept`: the users of the run were dropped since.
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
 * What a call said of the user; `lost`: its worker was lost before it answered; `unchecked`: no call was made, for the
 * step's check gave no answer.
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
  idempotencyKey: z.string().describe('Of the call: what its receiver can look for'),
  result: z.enum(attemptResults),
  code: z.string().nullable(),
  message: z.string().nullable(),
});

const explainedStep = z.object({
  step: z.int().min(1),
  action: z.string(),
  outcome: z.enum([...outcomes, 'pending']),
  /** Of a failed or unknown user, and of one that was unknown and was settled. */
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  endedAt: time.nullable(),
  /** Of a pending step: what it waits for, and until when. */
  waitsFor: z.string().nullable(),
  nextAttemptAt: time.nullable(),
  receipt: z
    .object({
      status: z.enum(['delivered', 'undelivered']),
      code: z.string().nullable(),
      at: time.describe('When it happened, as the provider says'),
      receivedAt: time,
    })
    .nullable()
    .default(null)
    .describe('What its provider said last of what it accepted'),
  attempts: z.array(attempt).describe('Every call for this user, the first one first'),
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
      detail: z.string().describe('Why, in words'),
    }),
    /** The batch that it was fed with, then the child batches that it went on in. */
    batches: z.array(
      z.object({
        batchNo: z.int().min(0),
        parent: z.int().nullable(),
        fromStep: z.int().min(1),
        users: z.int().min(0),
        traceId: z.string().optional().describe('Where tracing is on and this batch is among those that are recorded'),
      }),
    ),
    steps: z.array(explainedStep).describe('Empty for a user outside of the audience'),
    receiptsDeletedAt: time
      .nullable()
      .default(null)
      .describe(
        'When the receipts of the run were deleted: `receipt` is null since, also of users that had one. Null while they are kept',
      ),
  })
  .meta({ id: 'UserExplanation' });

export type UserExplanation = z.infer<typeof userExplanation>;
