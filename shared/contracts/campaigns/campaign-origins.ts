import { z } from 'zod';

/** What a campaign was made from, as it is stored. */
export interface CampaignOrigin {
  /** uuid; it may be deleted since. */
  campaignId: string;
  revision: number;
}

export const campaignOrigin = z
  .object({ campaignId: z.string().describe('cmp_…; it may be deleted since'), revision: z.int().min(1) })
  .meta({ id: 'CampaignOrigin', description: 'The campaign that it is a copy of, and which revision of it' });
