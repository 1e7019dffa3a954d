import * as z from 'zod/mini';

/** Which run the report is compared with; the one before it unless said otherwise. */
export const reportSearch = z.object({
  with: z.catch(z.optional(z.string()), undefined),
});
