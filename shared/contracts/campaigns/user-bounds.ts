import { z } from 'zod';

const users = z.int().min(0);

/** Between "all sources overlap, and who is left out is among them" and "none do". */
export const userBounds = z
  .object({
    atLeast: users,
    atMost: users.nullable().describe('Null where nobody knows'),
    countedAt: z.iso
      .datetime({ precision: 3 })
      .optional()
      .describe('An exact count of the same sources at that time replaces the estimate; absent: estimated'),
  })
  .describe('How many are in several sources at once is not known before a run has merged them');

export type UserBounds = z.infer<typeof userBounds>;
