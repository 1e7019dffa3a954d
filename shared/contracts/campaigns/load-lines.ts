import { z } from 'zod';

const count = z.int().min(0);
const seconds = z.number().min(0);

export const loadLimits = ['pace', 'rate', 'shard', 'earlier-run'] as const;

export const loadLine = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    country: z.string(),
    users: count.nullable().describe('At most, where all of them come so far; null where nobody knows'),
    calls: count.nullable().describe('For so many users, without calls that are tried again'),
    limit: z
      .enum(loadLimits)
      .nullable()
      .describe(
        'What makes it take so long: the pace of the campaign, the rate of the action type over all countries, or the shard as fast as it ' +
          'is now, behind what is ahead there, or as it was in the fastest run of the last 30 days (of a dry run). null: nothing says how fast it would go',
      ),
    seconds: seconds.nullable().describe('That it takes by that limit'),
    breaker: z.enum(['closed', 'slow-start', 'open']),
  })
  .meta({ id: 'ExpectedLoad', description: 'What a step of a campaign would bring to a shard' });

export type LoadLine = z.infer<typeof loadLine>;

export const takesSeconds = z
  .object({ atLeast: seconds, atMost: seconds.nullable() })
  .nullable()
  .describe('By its limits, for the least and for the most users; null where nothing says how fast it would go');
