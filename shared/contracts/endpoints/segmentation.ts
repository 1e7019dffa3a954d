import { z } from 'zod';

export const segmentDescription = z.object({
  id: z.string(),
  country: z.string(),
  estimate: z.int().min(0).nullable(),
  snapshot: z.string().min(1),
});

export type SegmentDescription = z.infer<typeof segmentDescription>;

export const userPage = z.object({
  users: z.array(z.string()),
  next: z.string().nullable(),
});

export type UserPage = z.infer<typeof userPage>;
