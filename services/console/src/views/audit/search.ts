import * as z from 'zod/mini';

export const auditSearch = z.object({
  id: z.catch(z.optional(z.string()), undefined),
});
