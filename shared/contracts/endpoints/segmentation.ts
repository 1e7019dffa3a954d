import { z } from 'zod';

export const segmentDescription = z.object({
  id: z.string(),
  country: z.string(),
  estimate: z.int().min(0).nullable(),
  snapshot: z.string().min(1),
});

export type SegmentDescription = z.infer<typeof segmentDescription>;

/**
 * Maximum number of users requested in one page, even if the service allows more. One write stores about as many users,
 * so larger pages would save little.
 */
export const largestPage = 5000;

export const userPage = z.object({
  users: z.array(z.string()),
  next: z.string().nullable(),
  /** Largest accepted `limit`, if it exceeds `pageSize` of the configuration. */
  maxLimit: z.int().min(1).optional(),
});

export type UserPage = z.infer<typeof userPage>;

/** A segment in the list that a service may offer. Missing fields are unknown. */
export const offeredSegment = z.object({
  id: z.string().min(1).max(200),
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(2000).nullish(),
  /** Countries in which the segment has users; any country if absent. */
  countries: z.array(z.string()).max(250).nullish(),
  /** Estimated users in the requested country, or in all countries if none was requested. */
  estimate: z.int().min(0).nullish(),
});

export type OfferedSegment = z.infer<typeof offeredSegment>;

export const segmentPage = z.object({
  segments: z.array(offeredSegment),
  /** Value of `after` for the next page; null on the last page. */
  next: z.string().min(1).max(500).nullable(),
});

export type SegmentPage = z.infer<typeof segmentPage>;
