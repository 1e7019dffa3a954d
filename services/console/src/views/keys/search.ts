import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const keyStates = ['active', 'expired', 'revoked'] as const;
export const keyRoles = ['viewer', 'scheduler', 'manager', 'approver', 'operator'] as const;

export const keysSearch = z.object({
  state: z.catch(z.optional(z.enum(keyStates)), undefined),
  /** Those that have ended and are still used. */
  refused: z.catch(z.optional(z.literal(true)), undefined),
  role: z.catch(z.optional(z.enum(keyRoles)), undefined),
  /** Part of a name or of an owner. */
  text,
  cursor: text,
});

export type KeysSearch = z.infer<typeof keysSearch>;
