import * as z from 'zod/mini';

export const auditSearch = z.object({
  /** A change, such as one that was found by its id. */
  id: z.catch(z.optional(z.string()), undefined),
  /** The id, or the name, of what was changed. */
  subject: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});
