import { z } from 'zod';
import { batchCall } from './batch-actions.ts';

/** Request for the message that a step would send to one user (docs/optional-contracts.md). */
export const previewCall = z.object({
  ...batchCall.pick({ action: true, country: true }).shape,
  user: z.string().min(1),
});

export type PreviewCall = z.infer<typeof previewCall>;

const line = z.string().max(2000).nullish();
const body = z.string().nullish();

/** A message. Unknown fields are ignored. */
export const previewedMessage = z
  .object({ from: line, to: line, subject: line, html: body, text: body })
  .refine(({ subject, html, text }) => [subject, html, text].some((part) => part !== null && part !== undefined), {
    error: 'has neither subject, html nor text',
  });

export type PreviewedMessage = z.infer<typeof previewedMessage>;

/** Body of a 422: the user would get no message. */
export const previewRefusal = z.object({ code: z.string().max(200), message: z.string().max(2000).nullish() });
