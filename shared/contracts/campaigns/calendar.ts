import { z } from 'zod';
import { runStates } from '../../domain/run/run-states.ts';

const count = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

const calendarStart = z
  .object({
    at: time.describe('Start time, actual or expected'),
    localTime: z
      .string()
      .nullable()
      .describe('Local time at which it starts in each country; null: all countries start at once'),
    until: time
      .nullable()
      .describe(
        'End time, actual or expected: from the forecast of the run or the duration of the last run; null: unknown',
      ),
    state: z.enum([...runStates, 'scheduled', 'in_review']).describe('in_review: starts only if approved'),
    runId: z.string().nullable(),
    users: count
      .nullable()
      .describe('Users fed so far; for future runs, the users of the last run or the approved number'),
    usersAre: z
      .enum(['counted', 'so-far', 'last-run', 'at-most'])
      .nullable()
      .describe(
        'counted: the run has ended; so-far: the run is in progress; last-run: an estimate; at-most: the approved limit; null: unknown',
      ),
  })
  .meta({ id: 'CalendarStart' });

export type CalendarStart = z.infer<typeof calendarStart>;

const calendarCampaign = z
  .object({
    campaignId: z.string(),
    name: z.string(),
    owner: z.string().nullable(),
    countries: z.array(z.string()),
    actions: z.array(z.string()).describe('Action types in the order of the chain'),
    paceUsersPerSecond: z.number().nullable(),
    recurs: z.boolean(),
    atCap: z
      .object({ users: count, at: time.describe('End of the dry run') })
      .nullable()
      .describe(
        'Users at a cap, as counted by the newest dry run of the current revision that completed in the last 7 days; null: no such dry run, or no future start',
      ),
    starts: z.array(calendarStart).describe('In chronological order'),
    moreStarts: z.boolean().describe('true: there are more starts than are listed'),
  })
  .meta({ id: 'CalendarCampaign' });

export type CalendarCampaign = z.infer<typeof calendarCampaign>;

export const calendar = z
  .object({
    asOf: time,
    from: time,
    until: time,
    items: z.array(calendarCampaign).describe('In the order of their first start'),
    isCut: z.boolean().describe('true: there are more campaigns or starts than are listed'),
    capacities: z
      .array(
        z.object({
          action: z.string(),
          usersPerSecond: z.number(),
          by: z
            .enum(['limit', 'fastest-run'])
            .describe('limit: the limit of the action type; fastest-run: the fastest run of the last 14 days'),
        }),
      )
      .describe('Known capacity of an action type'),
  })
  .meta({ id: 'Calendar' });
