import * as z from 'zod/mini';

export const newCampaignSearch = z.object({
  /** The campaign to begin from. */
  copy: z.catch(z.optional(z.string()), undefined),
  /** An uploaded list to begin with. */
  list: z.catch(z.optional(z.string()), undefined),
  /** A segment to begin with. */
  segment: z.catch(z.optional(z.string()), undefined),
  /** A saved audience to take the sources of. */
  saved: z.catch(z.optional(z.string()), undefined),
});
