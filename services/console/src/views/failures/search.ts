import * as z from 'zod/mini';
import { reasonedOutcomes } from '../../parts/failures/failure-reasons.ts';

/** Whose failures are listed, and from where on. */
export const failuresSearch = z.object({
  step: z.catch(z.optional(z.number()), undefined),
  country: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
  outcome: z.catch(z.optional(z.enum(reasonedOutcomes)), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type FailuresSearch = z.infer<typeof failuresSearch>;
