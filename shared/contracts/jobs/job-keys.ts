import { z } from 'zod';

export const jobKeyPattern = /^[\x21-\x7e]{1,255}$/;

export const jobKey = z
  .string()
  .regex(jobKeyPattern, 'has to be 1 to 255 visible ASCII characters')
  .describe('A repeat with the same key of the same client is the same job, until three days after it has ended');

/** Orderings of jobs with the same key. With `in-order`, a job that waits for its retry keeps its place. */
export const jobOrderings = ['exclusive', 'in-order'] as const;

export const orderingFields = {
  orderingKey: z
    .string()
    .regex(jobKeyPattern, 'has to be 1 to 255 visible ASCII characters')
    .optional()
    .describe(
      'Of its client’s jobs with this key one is called at a time: that which is due first, then accepted first',
    )
    .meta({ examples: ['merchant-17'] }),
  ordering: z
    .enum(jobOrderings)
    .optional()
    .describe('exclusive unless given: others of its key go while it waits for a retry; in-order: they do not'),
};

export function checkOrdering(
  said: { orderingKey?: unknown; ordering?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (said.ordering === undefined || said.orderingKey !== undefined) return;
  const message = 'is missing: ordering is that of the jobs of a key';
  context.addIssue({ code: 'custom', path: ['orderingKey'], message, input: said });
}
