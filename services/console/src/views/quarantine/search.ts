import * as z from 'zod/mini';

export const shownKinds = ['job', 'message', 'step'] as const;

export type ShownKind = (typeof shownKinds)[number];

export const quarantineSearch = z.object({
  /** A message or a step to be shown. */
  id: z.catch(z.optional(z.string()), undefined),
  kind: z.catch(z.optional(z.enum(shownKinds)), undefined),
  /** Only jobs of this client, by its name or id. */
  client: z.catch(z.optional(z.string()), undefined),
  /** The chosen group: jobs by the id of their client and the reason, messages by topic and reason. */
  of: z.catch(z.optional(z.string()), undefined),
  topic: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
});
