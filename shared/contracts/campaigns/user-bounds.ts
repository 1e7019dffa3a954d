import { z } from 'zod';

const users = z.int().min(0);

/** Between "all sources overlap, and who is left out is among them" and "none do". */
export const userBounds = z
  .object({ atLeast: users, atMost: users.nullable().describe('Null where nobody knows') })
  .describe('How many are in several sources at once is not known before a run has merged them');

export type UserBounds = z.infer<typeof userBounds>;
