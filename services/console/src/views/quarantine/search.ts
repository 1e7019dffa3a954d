import * as z from 'zod/mini';
import type { QuarantineCounts } from '#client/types.gen.ts';

/** Kinds of quarantined items, as defined by the API. */
export type Kind = keyof QuarantineCounts;

/** Kinds as values, in the order in which the view shows them. */
export const kinds: { [K in Kind]: K } = { job: 'job', message: 'message', step: 'step' };

export const quarantineSearch = z.object({
  id: z.catch(z.optional(z.string()), undefined),
  kind: z.catch(z.optional(z.enum(kinds)), undefined),
  /** Name or id of the client whose jobs are shown. */
  client: z.catch(z.optional(z.string()), undefined),
  /**
   * With `topic` and `reason`, identifies the chosen group. `of` is the id of the client, for jobs only; messages are
   * grouped by topic and reason.
   */
  of: z.catch(z.optional(z.string()), undefined),
  topic: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
});
