import { z } from 'zod';
import { json } from '../json.ts';

/** Origin of a campaign as it is stored, by uuids. The origin may have been deleted since. */
export type CampaignOrigin =
  | { campaignId: string; revision: number }
  | { templateId: string; revision: number; variables: Record<string, z.core.util.JSONType> };

const revision = z.int().min(1);

export const campaignOrigin = z
  .union([
    z.object({ campaignId: z.string().describe('cmp_… of the campaign that was copied'), revision }),
    z.object({
      templateId: z.string().describe('tpl_…'),
      revision,
      variables: z.record(z.string(), json).describe('Values of the template’s variables'),
    }),
  ])
  .meta({
    id: 'CampaignOrigin',
    description: 'Source campaign or template with its revision; it may have been deleted since',
  });
