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
  .describe('From the time that the run was planned for');

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

const stepUnderWay = z.object({ step: z.int().min(1), batches: users, users });

const waitingBatches = users.describe('Batches that wait for their next attempt');

const timeToStopMs = z
  .int()
  .min(0)
  .describe(
    'So soon after this answer to a pause or a cancellation the last call has ended: no call starts after two seconds, and the longest one takes as long as the endpoints may',
  );

export const controlledRun = z
  .object({
    run: runSummary,
    inFlight: z
      .object({ batches: users, users, steps: z.array(stepUnderWay) })
      .describe('Claimed by workers: their calls are under way, or would begin at once'),
    waiting: waitingBatches,
    ready: users.describe('Batches on the topics that no worker has claimed'),
    timeToStopMs,
  })
  .meta({ id: 'ControlledRun' });

export type ControlledRunShape = z.infer<typeof controlledRun>;

export const cancelPreview = z
  .object({
    runId: z.string(),
    state: z.enum(runStates),
    notFedUsers: users.nullable().describe('Estimated, and not fed yet; null where nobody knows how many'),
    notStartedUsers: users.describe('Fed, and not called in the first step: they will be cancelled'),
    halfWayUsers: users.describe('Have succeeded in a step, and will not get the steps behind it'),
    finishingUsers: users.describe('Their call in the last step is under way: it is still recorded'),
    endedUsers: users.describe('Through the chain, failed on the way or held out: nothing changes for them'),
    inFlight: z
      .object({ batches: users, users })
      .describe('Their calls are under way: they finish and are recorded, also after a pause'),
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
              notStartedUsers: users.describe('Begin the chain with this step and were not called: they get nothing'),
              halfWayUsers: users.describe('Have the steps before, and will not get this one'),
              inFlightUsers: users.describe('Their call is under way: it is still recorded in this step'),
            }),
          ),
        }),
      )
      .default([])
      .describe('The same by country and step, as of this moment: where users wait or are called now'),
  })
  .meta({
    id: 'CancelPreview',
    description: 'What a cancellation would do now, in users, and what of it a pause would wait for',
  });

export type CancelPreviewShape = z.infer<typeof cancelPreview>;
