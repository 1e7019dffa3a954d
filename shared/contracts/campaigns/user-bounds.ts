import { z } from 'zod';

const users = z.int().min(0);

/**
 * Bounds of the number of users. At least: all sources overlap, and contain every excluded user. At most: the sources
 * are disjoint, and no user is excluded.
 */
export const userBounds = z
  .object({
    atLeast: users,
    atMost: users.nullable().describe('Null if unknown'),
    countedAt: z.iso
      .datetime({ precision: 3 })
      .optional()
      .describe('An exact count of the same sources at that time replaces the estimate; absent: estimated'),
  })
  .describe('The overlap of the sources is unknown until a run has merged them');

export type UserBounds = z.infer<typeof userBounds>;
