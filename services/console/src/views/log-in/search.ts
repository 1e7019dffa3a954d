import * as z from 'zod/mini';

export const logInSearch = z.object({
  /** Where somebody wanted to go. */
  to: z.catch(z.optional(z.string().check(z.regex(/^\/(?!\/)/))), undefined),
});
