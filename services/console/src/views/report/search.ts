import * as z from 'zod/mini';

/** Whose failures are listed, and from where on. */
export const failuresSearch = z.object({
  step: z.optional(z.catch(z.optional(z.coerce.number().check(z.int(), z.positive())), undefined)),
  country: z.optional(z.catch(z.optional(z.string()), undefined)),
  reason: z.optional(z.catch(z.optional(z.string()), undefined)),
  outcome: z.optional(z.catch(z.optional(z.enum(['failed', 'unknown'])), undefined)),
  /** Of the page, as the API gave it. */
  cursor: z.optional(z.catch(z.optional(z.string()), undefined)),
});

export type FailuresSearch = z.infer<typeof failuresSearch>;

/** Which run the report is compared with; the one before it unless said otherwise. */
export const reportSearch = z.object({
  with: z.optional(z.catch(z.optional(z.string()), undefined)),
});
