import { z } from 'zod';

export const jobKeyPattern = /^[\x21-\x7e]{1,255}$/;

export const jobKey = z
  .string()
  .regex(jobKeyPattern, 'has to be 1 to 255 visible ASCII characters')
  .describe(
    'A repeated request with the same key and client returns the same job, until three days after it has ended',
  );

/** Orderings of jobs with the same key. With `in-order`, a job that waits for its retry keeps its place. */
export const jobOrderings = ['exclusive', 'in-order'] as const;

export const orderingFields = {
  orderingKey: z
    .string()
    .regex(jobKeyPattern, 'has to be 1 to 255 visible ASCII characters')
    .optional()
    .describe('Jobs of the client with this key are called one at a time, in the order of due time, then acceptance')
    .meta({ examples: ['merchant-17'] }),
  ordering: z
    .enum(jobOrderings)
    .optional()
    .describe('exclusive (default): others with its key can go while it waits for a retry; in-order: they cannot'),
};

export function checkOrdering(
  fields: { orderingKey?: unknown; ordering?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (fields.ordering === undefined || fields.orderingKey !== undefined) return;
  const message = 'is missing: ordering requires an orderingKey';
  context.addIssue({ code: 'custom', path: ['orderingKey'], message, input: fields });
}
