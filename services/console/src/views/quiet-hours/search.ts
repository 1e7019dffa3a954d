import * as z from 'zod/mini';

export const quietHoursSearch = z.object({
  /** Rules that hold for this action type; all where none is said. */
  action: z.catch(z.optional(z.string()), undefined),
});
