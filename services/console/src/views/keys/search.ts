import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

const keyStates = ['active', 'expired', 'revoked'] as const;
const keyKinds = ['key', 'person'] as const;
export const keyRoles = ['viewer', 'scheduler', 'manager', 'approver', 'operator'] as const;

/** Number of days before its expiry from which a key counts as ending soon. */
export const soonDays = 14;

export const keysSearch = z.object({
  state: z.catch(z.optional(z.enum(keyStates)), undefined),
  kind: z.catch(z.optional(z.enum(keyKinds)), undefined),
  used: z.catch(z.optional(z.literal(false)), undefined),
  /** If set, only keys that expire within `soonDays` days are listed. */
  ends: z.catch(z.optional(z.literal(soonDays)), undefined),
  /** Filter that shows only expired or revoked keys that are still used. */
  refused: z.catch(z.optional(z.literal(true)), undefined),
  role: z.catch(z.optional(z.enum(keyRoles)), undefined),
  text,
  cursor: text,
});

export type KeysSearch = z.infer<typeof keysSearch>;
