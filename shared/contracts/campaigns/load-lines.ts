import { z } from 'zod';

const count = z.int().min(0);
const seconds = z.number().min(0);

export const loadLimits = ['pace', 'rate', 'shard', 'earlier-run'] as const;

export const loadLine = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    country: z.string(),
    users: count.nullable().describe('Upper limit, if all users reach this step; null: unknown'),
    calls: count.nullable().describe('Batches for this number of users, without retries'),
    limit: z
      .enum(loadLimits)
      .nullable()
      .describe(
        'The limit that determines the duration: the pace of the campaign, the rate of the action type over all countries, or the shard ' +
          'at its current speed and backlog, or (for a dry run) as in the fastest run of the last 30 days. null: duration unknown',
      ),
    seconds: seconds.nullable().describe('Seconds by that limit'),
    breaker: z.enum(['closed', 'slow-start', 'open']),
  })
  .meta({ id: 'ExpectedLoad', description: 'Load that a step of a campaign would add to a shard' });

export type LoadLine = z.infer<typeof loadLine>;

export const takesSeconds = z
  .object({ atLeast: seconds, atMost: seconds.nullable() })
  .nullable()
  .describe('Seconds by these limits, for the fewest and the most users; null: duration unknown');
