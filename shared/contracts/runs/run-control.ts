import { z } from 'zod';
import { runStates } from '../../domain/run/run-states.ts';
import { pauseAtFailedMinUsers, priority } from '../campaigns/campaigns.ts';
import { changeReason } from '../change-reason.ts';
import { instant } from '../instants.ts';
import { forbids, refusals, together } from '../stated-rules.ts';
import { runSettings, runSummary } from './runs.ts';

const users = z.int().min(0);

const deadlineSeconds = z
  .int()
  .min(60)
  .max(30 * 86_400)
  .describe('Seconds from the scheduled time of the run');

/** Changes to a run in progress. Null removes a limit. */
export const runChanges = z
  .strictObject({
    reason: changeReason.optional(),
    deadlineSeconds: deadlineSeconds.optional(),
    deadlineAt: instant.optional(),
    priority: priority.optional(),
    paceUsersPerSecond: runSettings.shape.paceUsersPerSecond.optional(),
    pauseAtFailedPercent: runSettings.shape.pauseAtFailedPercent.optional(),
    pauseAtFailedMinUsers: pauseAtFailedMinUsers.optional(),
  })
  .meta({
    id: 'RunChanges',
    examples: [{ paceUsersPerSecond: 500, priority: 'high' }],
    ...forbids(together('deadlineSeconds', 'deadlineAt')),
    ...refusals({
      'past-time': 'the deadline would be past',
      'out-of-range': 'the deadline would be more than 30 days from now',
    }),
  });

export type RunChanges = z.infer<typeof runChanges>;

export const runVerb = z
  .strictObject({ reason: changeReason.optional() })
  .meta({ id: 'RunVerb', examples: [{ reason: 'the shop is closed' }] });

export const resumeRefusals = {
  'choice-needed': 'the run waits after its canary for the choice of a variant, and the request names none',
  'unknown-variant': 'the run has no variant of this name',
  'no-choice': 'the run does not wait for the choice of a variant, or another one was chosen',
};

export const runResume = z
  .strictObject({
    reason: changeReason.optional(),
    variant: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe('Variant of all users outside the canary. Required if the run waits for this choice'),
  })
  .meta({ id: 'RunResume', examples: [{ reason: 'the shop is open again' }] });

const stepUnderWay = z.object({ step: z.int().min(1), batches: users, users });

const waitingBatches = users.describe('Batches that wait for their next attempt');

const timeToStopMs = z
  .int()
  .min(0)
  .describe(
    'Time after this answer by which the last call of a paused or cancelled run has ended. No call starts after two seconds; the longest one ends by its time-out',
  );

export const controlledRun = z
  .object({
    run: runSummary,
    inFlight: z
      .object({ batches: users, users, steps: z.array(stepUnderWay) })
      .describe('Batches claimed by workers: their calls are in progress or about to begin'),
    waiting: waitingBatches,
    ready: users.describe('Published batches that no worker has claimed'),
    timeToStopMs,
  })
  .meta({ id: 'ControlledRun' });

export type ControlledRunShape = z.infer<typeof controlledRun>;

export const cancelPreview = z
  .object({
    runId: z.string(),
    state: z.enum(runStates),
    notFedUsers: users.nullable().describe('Estimated users that are not fed yet; null: unknown'),
    notStartedUsers: users.describe('Users that were fed but not called in the first step: they will be cancelled'),
    halfWayUsers: users.describe('Users that succeeded in a step and will not get the later steps'),
    finishingUsers: users.describe('Users whose call in the last step is in progress; its result is still recorded'),
    endedUsers: users.describe('Users that completed the chain, failed or are held out: nothing changes for them'),
    inFlight: z
      .object({ batches: users, users })
      .describe('Users whose calls are in progress. The calls finish and are recorded, also after a pause'),
    waiting: waitingBatches,
    timeToStopMs,
    countries: z
      .array(
        z.object({
          country: z.string(),
          notFedUsers: users.nullable(),
          steps: z.array(
            z.object({
              step: z.int().min(1),
              action: z.string(),
              notStartedUsers: users.describe(
                'Users that begin the chain with this step and were not called: they get nothing',
              ),
              halfWayUsers: users.describe('Users that have the previous steps and will not get this one'),
              inFlightUsers: users.describe(
                'Users whose call is in progress; its result is still recorded in this step',
              ),
            }),
          ),
        }),
      )
      .default([])
      .describe('The same by country and step: where users wait or are being called now'),
  })
  .meta({
    id: 'CancelPreview',
    description: 'Effect of a cancellation at this moment, in users, and the calls that a pause would wait for',
  });

export type CancelPreviewShape = z.infer<typeof cancelPreview>;
