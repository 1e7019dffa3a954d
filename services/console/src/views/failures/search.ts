import * as z from 'zod/mini';
import { reasonedOutcomes } from '../../parts/failures/failure-reasons.ts';

const instant = z.catch(z.optional(z.iso.datetime()), undefined);

export const failuresSearch = z.object({
  /** Prefix of the user id. */
  q: z.catch(z.optional(z.string()), undefined),
  step: z.catch(z.optional(z.number()), undefined),
  country: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
  outcome: z.catch(z.optional(z.enum(reasonedOutcomes)), undefined),
  batch: z.catch(z.optional(z.int().check(z.nonnegative())), undefined),
  failedFrom: instant,
  /** Exclusive end. */
  failedUntil: instant,
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type FailuresSearch = z.infer<typeof failuresSearch>;
