import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const campaignChoices = [
  'needs-attention',
  'running',
  'paused',
  'scheduled',
  'ended',
  'draft',
  'archived',
] as const;

/** What is chosen of the campaigns, in the address: what does not make sense there is as if it were not. */
export const campaignsSearch = z.object({
  state: z.catch(z.optional(z.enum(campaignChoices)), undefined),
  text,
  country: text,
  action: text,
  tag: text,
  owner: text,
  /** That take this uploaded list in, or leave it out. */
  list: text,
  /** That take this segment in, or leave it out. */
  segment: text,
  /** That took this saved audience. */
  savedAudience: text,
  /** What the rows are sorted by; by state where nothing is chosen. */
  sort: z.catch(z.optional(z.enum(['name', 'next'])), undefined),
  cursor: text,
});

export type CampaignsSearch = z.infer<typeof campaignsSearch>;
