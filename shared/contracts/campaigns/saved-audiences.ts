import { z } from 'zod';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { aboutFields } from './about-campaign.ts';
import { audience, campaignDefinition, type CampaignDefinition } from './campaigns.ts';
import { campaignEstimate } from './estimates.ts';
import { warning } from '../warnings.ts';

/** HTTP shapes of saved audiences (docs/decisions/0101-saved-audiences-counts-and-use.md). */
const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');

const savedFields = {
  name: campaignDefinition.shape.name,
  description: aboutFields.description,
  owner: aboutFields.owner,
  countries: z
    .array(country)
    .min(1)
    .max(250)
    .describe('Where it is estimated and counted; a campaign that takes it has countries of its own'),
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

/** Changes to a saved audience. A given field replaces the whole field; null removes an optional field. */
export const savedAudiencePatch = z
  .strictObject({
    name: savedFields.name.optional(),
    description: savedFields.description.nullable(),
    owner: savedFields.owner.nullable(),
    countries: savedFields.countries.optional(),
    audience: savedFields.audience.optional(),
  })
  .meta({ id: 'SavedAudiencePatch', examples: [{ name: 'Riders who are away' }] });

const time = z.iso.datetime({ precision: 3 });

/** Upper limit of the count of uses: a list of saved audiences reads no more campaigns for each of them. */
export const usesCountedAtMost = 100;

export const savedAudience = z
  .object({
    id: z.string().describe('sav_…'),
    revision: z.int().min(1),
    ...savedFields,
    usedBy: z
      .int()
      .min(0)
      .describe(
        `Campaigns, drafts too, that took it and have its sources still; counted up to ${usesCountedAtMost}. ` +
          '`/v1/campaigns?savedAudience=` has them',
      ),
    latestUse: z
      .object({
        campaignId: z.string(),
        name: z.string(),
        revision: z.int().min(1).describe('Of the saved audience, as the campaign took it'),
        createdAt: time,
      })
      .nullable()
      .describe('The newest campaign of these; null: there is none'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), estimate: z.string(), campaigns: z.string() }),
  })
  .meta({ id: 'SavedAudience' });

export type SavedAudience = z.infer<typeof savedAudience>;

export const savedAudienceWithWarnings = savedAudience
  .extend({ warnings: z.array(warning) })
  .meta({ id: 'CheckedSavedAudience', description: 'The saved audience, and what should be looked at' });

export const savedAudienceEstimate = campaignEstimate
  .omit({ campaignId: true, cost: true })
  .extend({ savedAudienceId: z.string() })
  .meta({ id: 'SavedAudienceEstimate' });

export type SavedAudienceEstimate = z.infer<typeof savedAudienceEstimate>;

/** Returns the sources of an audience. A hold-out is no part of them. */
export function sourcesOf({ include, exclude = [] }: CampaignDefinition['audience']) {
  return { include, exclude };
}
