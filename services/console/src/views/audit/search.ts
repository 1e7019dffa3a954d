import * as z from 'zod/mini';

export const auditSearch = z.object({
  /** A change, such as one that was found by its id. */
  id: z.catch(z.optional(z.string()), undefined),
  /** The id, or the name, of what was changed. */
  subject: z.catch(z.optional(z.string()), undefined),
  /** The key that made it, and what that is called. */
  keyId: z.catch(z.optional(z.string()), undefined),
  keyName: z.catch(z.optional(z.string()), undefined),
  kind: z.catch(z.optional(z.enum(['made', 'replaced', 'changed', 'deleted', 'exports'])), undefined),
  /** How far back. */
  span: z.catch(z.optional(z.enum(['last hour', 'last day', 'last week', 'last month'])), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type AuditSearch = z.infer<typeof auditSearch>;
