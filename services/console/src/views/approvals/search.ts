import * as z from 'zod/mini';

export const approvalsSearch = z.object({
  /** The approval that is shown; the first that waits where none is said. */
  id: z.catch(z.optional(z.string()), undefined),
});
