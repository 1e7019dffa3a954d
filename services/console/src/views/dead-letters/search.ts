import * as z from 'zod/mini';

export const setAside = ['messages', 'steps'] as const;

export const deadLettersSearch = z.object({
  /** A letter or a step to be shown. */
  id: z.catch(z.optional(z.string()), undefined),
  show: z.catch(z.optional(z.enum(setAside)), undefined),
  /** The group that is chosen. */
  topic: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
});
