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

/** Filters of the list in the address. Invalid values are ignored. */
export const campaignsSearch = z.object({
  state: z.catch(z.optional(z.enum(campaignChoices)), undefined),
  text,
  country: text,
  action: text,
  tag: text,
  owner: text,
  /** Campaigns that include or exclude this uploaded list. */
  list: text,
  /** Campaigns that include or exclude this segment. */
  segment: text,
  savedAudience: text,
  /** Order of the rows. Default: by state. */
  sort: z.catch(z.optional(z.enum(['name', 'next'])), undefined),
  cursor: text,
});

export type CampaignsSearch = z.infer<typeof campaignsSearch>;
