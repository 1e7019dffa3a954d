import * as z from 'zod/mini';

export const campaignsSearch = z.object({
  state: z.optional(z.catch(z.string(), '')),
  text: z.optional(z.catch(z.string(), '')),
});
