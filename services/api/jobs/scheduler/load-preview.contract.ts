import { z } from 'zod';
import { campaignEstimate } from '../../../../shared/contracts/campaigns/estimates.ts';
import { fieldProblem } from '../../../../shared/contracts/field-problems.ts';

const count = z.int().min(0);
const seconds = z.number().min(0);

const loadLine = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    country: z.string(),
    users: count.nullable().describe('At most, where all of them come so far; null where nobody knows'),
    calls: count.nullable().describe('For so many users, without calls that are tried again'),
    limit: z
      .enum(['pace', 'rate', 'shard'])
      .nullable()
      .describe(
        'What makes it take so long: the pace of the campaign, the rate of the action type over all countries, or the shard as fast as it ' +
          'is now, behind what is ahead there. null: nothing says how fast it would go',
      ),
    seconds: seconds.nullable().describe('That it takes by that limit'),
    breaker: z.enum(['closed', 'slow-start', 'open']),
  })
  .meta({ id: 'ExpectedLoad', description: 'What a step of a campaign would bring to a shard' });

export type LoadLine = z.infer<typeof loadLine>;

/** What would become of a definition. Says what is wrong instead of refusing it. */
export const campaignPreview = z
  .object({
    asOf: campaignEstimate.shape.asOf,
    problems: z.array(fieldProblem).describe('Why it could not be created or started; empty where it could'),
    warnings: campaignEstimate.shape.warnings,
    countries: campaignEstimate.shape.countries.describe('Empty while countries or audience cannot be understood'),
    holdOutPercent: campaignEstimate.shape.holdOutPercent,
    batchUsers: count.nullable().describe('Users of a call, at most: as many as all of its actions take'),
    load: z.array(loadLine).describe('By step and country'),
    takesSeconds: z
      .object({ atLeast: seconds, atMost: seconds.nullable() })
      .nullable()
      .describe('By its limits, for the least and for the most users; null where nothing says how fast it would go'),
  })
  .meta({ id: 'CampaignPreview' });

export type CampaignPreview = z.infer<typeof campaignPreview>;
