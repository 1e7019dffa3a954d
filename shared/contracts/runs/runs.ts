import { z } from 'zod';
import { budgetFigures } from '../campaigns/budgets.ts';
import { runCost } from '../money.ts';
import { canaryStates } from '../../domain/run/canary.ts';
import { runKinds } from '../../domain/run/run-kinds.ts';
import { ownOutcomes } from '../../domain/step/outcomes.ts';
import { runStates } from '../../domain/run/run-states.ts';
import { runVariant, stepLineShape, variantOfUser } from './step-lines.ts';
import { rateDifference } from './rate-differences.ts';
import { runForecast } from './forecasts.ts';
import {
  defaultMinJudgedUsers,
  paceUsersPerSecond,
  pauseAtFailedMinUsers,
  pauseAtFailedPercent,
  priority,
} from '../campaigns/campaigns.ts';

/** HTTP shapes of runs: progress and report share fields. */
const users = z.int().min(0);

const time = z.iso.datetime({ precision: 3 });

/** Settings that can be changed during a run. */
export const runSettings = z.object({
  priority,
  paceUsersPerSecond: paceUsersPerSecond.nullable(),
  pauseAtFailedPercent: pauseAtFailedPercent.nullable(),
  pauseAtFailedMinUsers,
});

export type RunSettings = z.infer<typeof runSettings>;

export const runSummary = z
  .object({
    runId: z.string(),
    kind: z
      .enum(runKinds)
      .default('live')
      .describe(
        'test: named users only. dry-run: the whole audience, without calls. Figures of the campaign include neither',
      ),
    canary: z
      .enum(canaryStates)
      .nullable()
      .default(null)
      .describe(
        'serving: the canary users are being called. waits: paused until a person resumes it. over: the canary is done; null: no canary',
      ),
    variantChoice: z
      .object({
        options: z.array(z.string()).describe('Names of the variants that the canary users get'),
        chosen: z
          .string()
          .nullable()
          .describe('Variant of all other users; null: not chosen yet. `POST …/resume` with `variant` chooses it'),
      })
      .nullable()
      .default(null)
      .describe('Null, unless a person chooses a variant after the canary'),
    parentRunId: z.string().nullable().default(null).describe('Run whose failed users this run retries'),
    campaignId: z.string(),
    campaignName: z.string(),
    revision: z.int().min(1),
    state: z.enum(runStates),
    /** Reason for the state, if the state alone does not explain it. */
    stateReason: z.string().nullable(),
    scheduledFor: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    stateSince: time.nullable().default(null),
    deadlineAt: time.nullable().default(null).describe('Users who have not been called by then expire'),
    settings: runSettings.default({
      priority: 'normal',
      paceUsersPerSecond: null,
      pauseAtFailedPercent: null,
      pauseAtFailedMinUsers: defaultMinJudgedUsers,
    }),
  })
  .meta({ id: 'Run' });

export type RunSummary = z.infer<typeof runSummary>;

export const runStall = z
  .object({
    by: z
      .enum(['pause', 'audience', 'budget', 'step', 'engine'])
      .describe(
        'pause: the run is paused. audience: the audience cannot be read. budget: the budget is used up and a person has to raise it; ' +
          'the run may have paused itself for it. step: an endpoint; see `waits`. engine: workers or Kafka',
      ),
    cause: z.string(),
    since: time.nullable(),
    nextStep: z.string().describe('What a person can do next, in words'),
  })
  .meta({ id: 'RunStall' });

export type RunStall = z.infer<typeof runStall>;

export const runFigures = runSummary.extend({
  asOf: time,
  audience: z.object({
    estimated: users
      .nullable()
      .describe('Upper limit before exclusions: the sum of the estimates of its sources; null if one is unknown'),
    counted: users.describe('Including held-out users'),
    excluded: users.default(0).describe('Excluded users, which are not in the audience'),
    shared: users.optional().describe('Only for a dry run: users of the audience in several sources; each counts once'),
    /** True if every feed reached the end of its audience. */
    complete: z.boolean(),
  }),
  steps: z.array(stepLineShape),
  countries: z.array(
    z.object({ country: z.string(), audience: users, excluded: users.default(0), steps: z.array(stepLineShape) }),
  ),
  variants: z.array(runVariant).default([]).describe('Empty without variants'),
  undecidedUsers: users
    .default(0)
    .describe(
      'Counted users outside a canary after which a variant is chosen, before the choice. With the users of the variants they add up to the run’s. Only a dry run has some',
    ),
  /**
   * Outcomes that were unknown and have been settled since the run ended; undefined if there are none. `unknown` does
   * not include them.
   */
  settled: users.optional(),
  balanced: z.boolean(),
  cost: runCost.optional().describe('Absent if no step costs units'),
  budgets: z.array(budgetFigures).default([]).describe('Budgets of the campaign by country, shared by all its runs'),
  /** Facts about the audience for people, such as a segment that ended far before its estimate. */
  notes: z.array(z.string()).default([]),
  /** Cause for which the run waits, or null. A paused run waits for a person. */
  stalled: z.string().nullable().default(null),
  stall: runStall.nullable().default(null).describe('The same with the next action; null while the run is not stalled'),
  /** Time since when the run has been waiting; null if it does not wait, or if the time is unknown. */
  waitingSince: time.nullable().default(null),
});

export type RunFigures = z.infer<typeof runFigures>;

export const runWait = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    country: z.string(),
    cause: z.string().describe('In words, such as "endpoint says 405 Method Not Allowed"'),
    by: z
      .enum(['budget', 'step'])
      .default('step')
      .describe('budget: the budget is used up and a person has to raise it. step: the endpoint or its workers'),
    since: time,
    batches: z.int().min(0),
    held: z
      .boolean()
      .default(false)
      .describe('true: no user is called until a person has fixed the cause. false: batches are retried automatically'),
    blockedBy: z
      .enum(['breaker', 'no-worker', 'quiet-hours'])
      .nullable()
      .default(null)
      .describe(
        'The step makes no calls in this country. breaker: its endpoint counts as down for all workers; one batch is tried at nextTryAt. no-worker: ' +
          'no worker serves its shard. quiet-hours: it continues at nextTryAt; the step may also be held. null: batches wait for a retry, or ' +
          'the step is held',
      ),
    nextTryAt: time
      .nullable()
      .default(null)
      .describe(
        'Time at which one batch of a held step or behind an open breaker is tried, or at which quiet hours end',
      ),
    timeoutMs: z.int().nullable().default(null).describe('Time-out of a call of this step'),
    nextStep: z.string().default('').describe('What a person can do next, in words'),
  })
  .meta({ id: 'RunWait', description: 'Batches of a step in a country that wait for the same reason' });

export type RunWait = z.infer<typeof runWait>;

export const runProgress = runFigures
  .extend({
    usersPerSecond: z.object({
      oneMinute: z.number().describe('Users that ended a step, over the last minute; a user counts once per step'),
      tenMinutes: z.number().describe('The same over the last ten minutes'),
      fed: z.number().default(0).describe('Users fed over the last minute, which a pace limits'),
      through: z.number().default(0).describe('Users that succeeded in the last step, over the last minute'),
    }),
    /** Batches that a worker owns now. `waitingForRetry`: batches that wait for their next attempt. */
    inFlight: z.int().min(0),
    waitingForRetry: z.int().min(0),
    /** Expected end of the run; null while there is no basis for an estimate, or no progress. */
    eta: z
      .object({
        p50: time,
        p90: time,
        without: z
          .array(z.string())
          .default([])
          .describe('Countries that are not included, because their users wait for a person or a worker'),
      })
      .nullable(),
    /** Causes of waiting for parts of the run, the oldest first; empty while all parts progress. */
    waits: z.array(runWait).default([]),
  })
  .meta({ id: 'RunProgress' });

export type RunProgress = z.infer<typeof runProgress>;

/** Data of the last event in the event stream of a run. */
export const runEnd = z.object({ runId: z.string(), state: z.enum(runStates) }).meta({ id: 'RunEnd' });

export const failureReason = z
  .object({
    step: z.int().min(1),
    country: z.string(),
    outcome: z.enum(ownOutcomes),
    reason: z.string(),
    users,
    /** Some of the users, at most five. */
    sample: z.array(z.string()),
    retryable: z
      .boolean()
      .default(false)
      .describe(
        'true: these users can be retried when the run has ended: they failed, are stored, and have a sendable id',
      ),
  })
  .meta({ id: 'FailureReason' });

const retrySums = {
  retried: users.describe('Users that were retried'),
  recovered: users.describe('Retried users that succeeded in the last step'),
};

export const runReport = runFigures
  .extend({
    retries: z
      .object({
        ...retrySums,
        failedBefore: users.describe('Failed users of this run itself, in all steps'),
        failedAfter: users.describe('Users that are failed now, including those that failed again'),
        runs: z.array(z.object({ runId: z.string(), ...retrySums, failedAgain: users })),
      })
      .nullable()
      .default(null)
      .describe('Results of child runs that retried failures; null: there was none'),
    differences: z
      .array(rateDifference)
      .default([])
      .describe('Differences between variants, by step and rate. Empty without variants'),
    failures: z.array(failureReason),
    /** False once the users that failed are no longer stored: then only these figures remain. */
    failuresKept: z.boolean(),
    receiptsDeletedAt: time
      .nullable()
      .default(null)
      .describe('Time at which receipts of users were deleted; these figures stay. Null while receipts are kept'),
    batches: z.object({ fed: users, retried: users }),
    forecast: runForecast.nullable().default(null).describe('Only for a dry run: its expected duration'),
  })
  .meta({ id: 'RunReport' });

export type RunReport = z.infer<typeof runReport>;

export const userFailureShape = z
  .object({
    userId: z.string(),
    step: z.int().min(1),
    country: z.string(),
    variant: variantOfUser,
    outcome: z.enum(ownOutcomes),
    reason: z.string(),
    detail: z.string().nullable(),
    attempts: z.int().min(0),
    batchNo: z.int().min(0),
    failedAt: time,
  })
  .meta({ id: 'UserFailure' });

export type UserFailureShape = z.infer<typeof userFailureShape>;
