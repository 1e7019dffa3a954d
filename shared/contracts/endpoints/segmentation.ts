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

/** A segment in the list that a service may offer. What it does not say is not known. */
export const offeredSegment = z.object({
  id: z.string().min(1).max(200),
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(2000).nullish(),
  /** Where it has users; anywhere where it does not say. */
  countries: z.array(z.string()).max(250).nullish(),
  /** Of the country that was asked for, else of all. */
  estimate: z.int().min(0).nullish(),
});

export type OfferedSegment = z.infer<typeof offeredSegment>;

export const segmentPage = z.object({
  segments: z.array(offeredSegment),
  /** What the next page is asked for with, as `after`; null: there is none. */
  next: z.string().min(1).max(500).nullable(),
});

export type SegmentPage = z.infer<typeof segmentPage>;
