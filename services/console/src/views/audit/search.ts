import * as z from 'zod/mini';

export const auditSearch = z.object({
  /** Id of the change to show, such as a result of the global search. */
  id: z.catch(z.optional(z.string()), undefined),
  subject: z.catch(z.optional(z.string()), undefined),
  keyId: z.catch(z.optional(z.string()), undefined),
  keyName: z.catch(z.optional(z.string()), undefined),
  kind: z.catch(z.optional(z.enum(['made', 'replaced', 'changed', 'deleted', 'exports'])), undefined),
  span: z.catch(z.optional(z.enum(['last hour', 'last day', 'last week', 'last month'])), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type AuditSearch = z.infer<typeof auditSearch>;
