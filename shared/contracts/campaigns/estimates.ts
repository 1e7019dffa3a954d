import { z } from 'zod';
import { estimatedCost } from '../money.ts';
import { audienceEntry } from './campaigns.ts';
import { userBounds } from './user-bounds.ts';

const users = z.int().min(0);

/** What does not keep a campaign from being made or started, and should be looked at all the same. */
export const warning = z
  .object({ pointer: z.string(), code: z.string(), detail: z.string() })
  .meta({ id: 'Warning', description: 'Nothing was refused for it' });

export type Warning = z.infer<typeof warning>;

const sourceEstimate = z.object({
  source: audienceEntry,
  users: users.nullable().describe('Null where nobody knows'),
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
    cost: estimatedCost.optional().describe('Absent where no step costs units'),
    warnings: z.array(warning),
  })
  .meta({ id: 'CampaignEstimate' });

export type CampaignEstimate = z.infer<typeof campaignEstimate>;
