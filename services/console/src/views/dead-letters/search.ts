import * as z from 'zod/mini';

export const deadLettersSearch = z.object({
  id: z.catch(z.optional(z.string()), undefined),
});
