import * as z from 'zod/mini';

export const keysSearch = z.object({
  cursor: z.catch(z.optional(z.string()), undefined),
});
