import { z } from 'zod';
import { budgetFigures } from '../campaigns/budgets.ts';
import { runCost } from '../money.ts';
import { canaryStates } from '../../domain/run/canary.ts';
import { runKinds, stepModes } from '../../domain/run/run-kinds.ts';
import { ownOutcomes } from '../../domain/step/outcomes.ts';
import { runStates } from '../../domain/run/run-states.ts';
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

export const stepLineShape = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    mode: z
      .enum(stepModes)
      .optional()
      .describe('Of a test. live: its users really got it. test: its endpoint was told that this is a test'),
    audience: users,
    succeeded: users,
    failed: users,
    skipped: users,
    suppressed: users,
    heldOut: users,
    expired: users,
    cancelled: users,
    unknown: users,
    /** Negative only in a line that does not balance. */
    pending: z.int(),
    receipts: z
      .object({
        delivered: users,
        undelivered: users,
        unexpected: users
          .default(0)
          .describe('Receipts of users that failed here, or are unknown: in none of the others'),
        awaiting: z.int().describe('Below zero while receipts came for users whose acceptance is not recorded'),
      })
      .optional()
      .describe(
        'Of an asynchronous step, where succeeded means accepted: succeeded = delivered + undelivered + awaiting. Holds nothing up',
      ),
  })
  .meta({ id: 'StepLine', description: 'A step and how many of its audience ended how, in users' });

export type StepLineShape = z.infer<typeof stepLineShape>;

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
        'test: of users who were named. dry-run: of everybody, and nobody is called. Neither is in any figures of its campaign',
      ),
    canary: z
      .enum(canaryStates)
      .nullable()
      .default(null)
      .describe('serving: its first users. waits: paused, until it is resumed. over: all of them; null: it has none'),
    parentRunId: z.string().nullable().default(null).describe('The run whose failed users this one tries again'),
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
    deadlineAt: time.nullable().default(null).describe('What has not been called by then expires'),
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
        'pause: it is paused. audience: whom it is for cannot be read. budget: units of the campaign, and a person has to raise them; ' +
          'a run may have paused itself for it. step: an endpoint; `waits` has each. engine: workers, Kafka',
      ),
    cause: z.string(),
    since: time.nullable(),
    nextStep: z.string().describe('What a person can do, in words'),
  })
  .meta({ id: 'RunStall' });

export type RunStall = z.infer<typeof runStall>;

export const runFigures = runSummary.extend({
  asOf: time,
  audience: z.object({
    estimated: users
      .nullable()
      .describe(
        'At most so many, before exclusions: the sum of what its sources estimate; null where one does not know',
      ),
    counted: users.describe('Held-out users included'),
    excluded: users.default(0).describe('Passed over because an exclusion names them; not in the audience'),
    shared: users
      .optional()
      .describe('Of a dry run alone: those of the audience whom several sources name; each counts once'),
    /** True if every feed reached the end of its audience. */
    complete: z.boolean(),
  }),
  steps: z.array(stepLineShape),
  countries: z.array(
    z.object({ country: z.string(), audience: users, excluded: users.default(0), steps: z.array(stepLineShape) }),
  ),
  /** Outcomes settled since the run ended; undefined if there are none. `unknown` excludes them. */
  settled: users.optional(),
  balanced: z.boolean(),
  cost: runCost.optional().describe('Absent where no step costs units'),
  budgets: z
    .array(budgetFigures)
    .default([])
    .describe("The campaign's, by country: all of its runs spend them together"),
  /** Facts about the audience for people, such as a segment that ended far before its estimate. */
  notes: z.array(z.string()).default([]),
  /** Cause for which the run waits, or null. A paused run waits for a person. */
  stalled: z.string().nullable().default(null),
  stall: runStall
    .nullable()
    .default(null)
    .describe('The same with what can be done about it; null while nothing stalls it'),
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
      .describe('budget: units of the campaign, which a person has to raise. step: an endpoint, or who calls it'),
    since: time,
    batches: z.int().min(0),
    held: z
      .boolean()
      .default(false)
      .describe('Nobody is called until somebody has mended it; otherwise batches are tried again by themselves'),
    blockedBy: z
      .enum(['breaker', 'no-worker', 'quiet-hours'])
      .nullable()
      .default(null)
      .describe(
        'Nothing of the step is called there. breaker: its endpoint counts as down, for all workers; one batch is tried at nextTryAt. no-worker: ' +
          'no worker serves its shard. quiet-hours: it goes on by itself at nextTryAt; a step may be held beside it. null: batches were put back, or ' +
          'the step is held',
      ),
    nextTryAt: time
      .nullable()
      .default(null)
      .describe('When one batch of a held step, or behind an open breaker, is tried, or quiet hours end'),
    timeoutMs: z.int().nullable().default(null).describe('How long a call of this step may take'),
    nextStep: z.string().default('').describe('What a person can do, in words'),
  })
  .meta({ id: 'RunWait', description: 'Batches of a step in a country that wait for the same cause' });

export type RunWait = z.infer<typeof runWait>;

export const runProgress = runFigures
  .extend({
    usersPerSecond: z.object({
      oneMinute: z.number().describe('Users that ended a step, over the last minute: each counts once for each step'),
      tenMinutes: z.number().describe('The same over the last ten minutes'),
      fed: z.number().default(0).describe('Users that were fed, over the last minute: what a pace limits'),
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
          .describe(
            'Countries in which users wait for a person, or for a worker: nobody knows when those end, and they are left out',
          ),
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
      .describe('Once the run has ended, they may be tried again: they failed, are kept, and could be sent'),
  })
  .meta({ id: 'FailureReason' });

const retrySums = {
  retried: users.describe('Users that were tried again'),
  recovered: users.describe('Of those, who succeeded in the last step'),
};

export const runReport = runFigures
  .extend({
    retries: z
      .object({
        ...retrySums,
        failedBefore: users.describe('Failed users of this run itself, of all steps'),
        failedAfter: users.describe('Failed users now, whoever failed again included'),
        runs: z.array(z.object({ runId: z.string(), ...retrySums, failedAgain: users })),
      })
      .nullable()
      .default(null)
      .describe('What child runs have done about the failures; null where there was none'),
    failures: z.array(failureReason),
    /** False once the users that failed are no longer stored: then only these figures remain. */
    failuresKept: z.boolean(),
    receiptsDeletedAt: time
      .nullable()
      .default(null)
      .describe('When the receipts of single users were deleted; their figures here stay. Null while they are kept'),
    batches: z.object({ fed: users, retried: users }),
    forecast: runForecast.nullable().default(null).describe('Of a dry run alone: how long it would take'),
  })
  .meta({ id: 'RunReport' });

export type RunReport = z.infer<typeof runReport>;

export const userFailureShape = z
  .object({
    userId: z.string(),
    step: z.int().min(1),
    country: z.string(),
    outcome: z.enum(ownOutcomes),
    reason: z.string(),
    detail: z.string().nullable(),
    attempts: z.int().min(0),
    batchNo: z.int().min(0),
    failedAt: time,
  })
  .meta({ id: 'UserFailure' });

export type UserFailureShape = z.infer<typeof userFailureShape>;
