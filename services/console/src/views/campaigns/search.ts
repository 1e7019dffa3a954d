import * as z from 'zod/mini';

/** What is chosen of the campaigns, in the address: what does not make sense there is as if it were not. */
export const campaignsSearch = z.object({
  state: z.catch(z.optional(z.string()), undefined),
  text: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});
