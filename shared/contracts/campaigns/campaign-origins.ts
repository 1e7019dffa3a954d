import { z } from 'zod';
import { json } from '../json.ts';

/** Origin of a campaign as it is stored, by uuids. The origin may have been deleted since. */
export type CampaignOrigin =
  | { campaignId: string; revision: number }
  | { templateId: string; revision: number; variables: Record<string, z.core.util.JSONType> };

const revision = z.int().min(1);

export const campaignOrigin = z
  .union([
    z.object({ campaignId: z.string().describe('cmp_…, of which it is a copy'), revision }),
    z.object({
      templateId: z.string().describe('tpl_…'),
      revision,
      variables: z.record(z.string(), json).describe('The values that it was made with'),
    }),
  ])
  .meta({
    id: 'CampaignOrigin',
    description: 'The campaign or the template, which may be deleted since, and its revision',
  });
