import { z } from 'zod';

export const segmentDescription = z.object({
  id: z.string(),
  country: z.string(),
  estimate: z.int().min(0).nullable(),
  snapshot: z.string().min(1),
});

export type SegmentDescription = z.infer<typeof segmentDescription>;

/**
 * Users that are asked for in one page at most, whatever the service allows: a write takes about so many, and beside
 * them a request costs little.
 */
export const largestPage = 5000;

export const userPage = z.object({
  users: z.array(z.string()),
  next: z.string().nullable(),
  /** The largest `limit` that may be asked for, where that is more than `pageSize` of the configuration. */
  maxLimit: z.int().min(1).optional(),
});

export type UserPage = z.infer<typeof userPage>;
