import { z } from 'zod';
import { runStates } from '../../domain/run/run-states.ts';

const count = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

const calendarStart = z
  .object({
    at: time.describe('When it began, or is expected to'),
    localTime: z
      .string()
      .nullable()
      .describe('The time on the clocks of each country at which it starts there; null: in all countries at once'),
    until: time
      .nullable()
      .describe('When it ended, or is expected to: as its run says, or as long as its last run took; null: not known'),
    state: z.enum([...runStates, 'scheduled', 'in_review']).describe('in_review: if it is approved'),
    runId: z.string().nullable(),
    users: count
      .nullable()
      .describe('Fed so far; of what is to come those of the last run, or as many as were approved'),
    usersAre: z
      .enum(['counted', 'so-far', 'last-run', 'at-most'])
      .nullable()
      .describe(
        'counted: of a run that has ended; so-far: of one that goes on; last-run: an estimate; at-most: approved; null: not known',
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
    actions: z.array(z.string()).describe('Of its chain, in its order'),
    paceUsersPerSecond: z.number().nullable(),
    recurs: z.boolean(),
    starts: z.array(calendarStart).describe('In the order of time'),
    moreStarts: z.boolean().describe('It starts more often than is shown'),
  })
  .meta({ id: 'CalendarCampaign' });

export type CalendarCampaign = z.infer<typeof calendarCampaign>;

export const calendar = z
  .object({
    asOf: time,
    from: time,
    until: time,
    items: z.array(calendarCampaign).describe('By their first start'),
    isCut: z.boolean().describe('There are more campaigns or starts than are shown'),
    capacities: z
      .array(
        z.object({
          action: z.string(),
          usersPerSecond: z.number(),
          by: z
            .enum(['limit', 'fastest-run'])
            .describe('limit: that of the action type; fastest-run: of the last 14 days'),
        }),
      )
      .describe('What an action type can be asked for, where that is known'),
  })
  .meta({ id: 'Calendar' });
