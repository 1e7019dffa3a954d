import { z } from 'zod';
import { estimatedCost } from '../money.ts';
import { audienceEntry } from './campaigns.ts';
import { warning } from '../warnings.ts';
import { userBounds } from './user-bounds.ts';

const users = z.int().min(0);

const sourceEstimate = z.object({
  source: audienceEntry,
  users: users.nullable().describe('Null if unknown'),
});

export const campaignEstimate = z
  .object({
    campaignId: z.string(),
    asOf: z.iso.datetime({ precision: 3 }),
    countries: z.array(
      z.object({
        country: z.string(),
        include: z.array(sourceEstimate),
        exclude: z.array(sourceEstimate),
        users: userBounds,
      }),
    ),
    users: userBounds.describe('In all countries together'),
    holdOutPercent: z.number(),
    variants: z
      .array(z.object({ name: z.string(), weight: z.int().min(1), users: userBounds }))
      .describe('Expected users of each variant: its weight, applied to `users`. Empty without variants'),
    cost: estimatedCost.optional().describe('Absent if no step costs units'),
    warnings: z.array(warning),
  })
  .meta({ id: 'CampaignEstimate' });

export type CampaignEstimate = z.infer<typeof campaignEstimate>;
