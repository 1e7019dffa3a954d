import * as z from 'zod/mini';

export const clientsSearch = z.object({
  /** In its name. */
  text: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});
