import { z } from 'zod';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { aboutFields } from './about-campaign.ts';
import { audience, campaignDefinition, type CampaignDefinition } from './campaigns.ts';
import { warning } from '../warnings.ts';

/** HTTP shapes of saved audiences (docs/decisions/0101-saved-audiences-counts-and-use.md). */
const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');

export const savedFields = {
  name: campaignDefinition.shape.name,
  description: aboutFields.description,
  owner: aboutFields.owner,
  countries: z
    .array(country)
    .min(1)
    .max(250)
    .describe('Countries in which it is estimated and counted; campaigns that use it have their own countries'),
  audience,
};

export const savedAudienceDefinition = z.strictObject(savedFields).meta({
  id: 'SavedAudienceDefinition',
  examples: [
    {
      name: 'Lapsed riders without staff',
      owner: 'growth',
      countries: ['SG'],
      audience: { include: [{ segment: 'lapsed-riders' }], exclude: [{ segment: 'staff' }] },
    },
  ],
});

export type SavedAudienceDefinition = z.infer<typeof savedAudienceDefinition>;

const time = z.iso.datetime({ precision: 3 });

export const savedAudience = z
  .object({
    kind: z.literal('saved'),
    id: z.string().describe('sav_…'),
    revision: z.int().min(1),
    ...savedFields,
    usedBy: z
      .int()
      .min(0)
      .describe(
        'Campaigns, including drafts, with an unchanged copy of its sources. `/v1/campaigns?savedAudience=` lists them',
      ),
    latestUse: z
      .object({
        campaignId: z.string(),
        name: z.string(),
        revision: z.int().min(1).describe('Revision that the campaign copied'),
        createdAt: time,
      })
      .nullable()
      .describe('Newest of these campaigns; null: none'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), campaigns: z.string() }),
  })
  .meta({ id: 'SavedAudience' });

export type SavedAudience = z.infer<typeof savedAudience>;

export const savedAudienceWithWarnings = savedAudience
  .extend({ warnings: z.array(warning) })
  .meta({ id: 'CheckedSavedAudience', description: 'The saved audience and its warnings' });

/** Returns the sources of an audience. A hold-out is no part of them. */
export function sourcesOf({ include, exclude = [] }: CampaignDefinition['audience']) {
  return { include, exclude };
}
