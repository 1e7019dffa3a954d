import * as z from 'zod/mini';

export const systemSearch = z.object({
  /** Of the configuration: what is set, or everything. */
  show: z.catch(z.optional(z.enum(['all'])), undefined),
});
