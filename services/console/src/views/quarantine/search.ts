import * as z from 'zod/mini';

export const shownKinds = ['job', 'message', 'step'] as const;

export type ShownKind = (typeof shownKinds)[number];

export const quarantineSearch = z.object({
  id: z.catch(z.optional(z.string()), undefined),
  kind: z.catch(z.optional(z.enum(shownKinds)), undefined),
  /** Name or id of the client whose jobs are shown. */
  client: z.catch(z.optional(z.string()), undefined),
  /** Chosen group: jobs by the id of their client and the reason, messages by topic and reason. */
  of: z.catch(z.optional(z.string()), undefined),
  topic: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
});
