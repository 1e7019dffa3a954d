import { z } from 'zod';

/** Reason shown while a feed waits because its country begins later than the run. */
export const beforeLocalStart = 'it is not its time yet in this country';
import { earlierOutcomes } from '../../domain/run/earlier-outcomes.ts';

/** A segment of the segmentation service, in the snapshot that the feed pages. */
const segmentSource = z.object({
  segment: z.string(),
  snapshot: z.string(),
  /** Number of users that the segmentation service estimated; null if it gave no estimate. */
  estimate: z.number().nullable(),
});

/** An uploaded list, by its uuid. Lists are immutable. */
const listSource = z.object({ listId: z.string(), estimate: z.number() });

/** Users for whom an earlier run began its chain, filtered by outcome. */
const runSource = z.object({
  runId: z.string(),
  feedIds: z.array(z.string()),
  steps: z.number(),
  /** Undefined means users of every outcome. */
  outcomes: z.array(z.enum(earlierOutcomes)).optional(),
  /** Step whose outcomes are selected; undefined means the chain as a whole. */
  step: z.number().optional(),
  estimate: z.number().nullable(),
});

const holdOut = z.object({
  /** Exclusive range from 0 to 100. */
  percent: z.number(),
  seed: z.string(),
});

/** Part of the users that a feed has, by the hash of `shared/domain/run/split.ts`. */
const split = z.object({
  seed: z.string(),
  /** Hundredths of a percent: from 0 to 10,000. */
  from: z.number(),
  /** Exclusive. */
  to: z.number(),
});

/**
 * Users in lists and earlier runs of another country of the run: a person has one country in a run
 * (docs/decisions/0004-audiences-are-sorted-streams.md).
 */
const elsewhere = z.object({
  country: z.string(),
  source: z.union([listSource, runSource]),
  /** Position of the source in `include`; null for a source that excludes. */
  included: z.number().nullable(),
});

/** Audience of a feed, as the run resolved it at its start: users in `include` that are not in `exclude`. */
export const feedAudience = z.object({
  include: z.array(z.union([segmentSource, listSource, runSource])).min(1),
  exclude: z.array(z.union([segmentSource, listSource, runSource])),
  elsewhere: z.array(elsewhere).optional(),
  /** Hold-out: users who belong to the audience and receive nothing. */
  holdOut: holdOut.nullable(),
  /** Users of the feed's variant; undefined means all users. Other users of the sources do not belong to the feed. */
  split: split.optional(),
});

export type SegmentSource = z.infer<typeof segmentSource>;
export type ListSource = z.infer<typeof listSource>;
export type RunSource = z.infer<typeof runSource>;
export type Elsewhere = z.infer<typeof elsewhere>;
export type FeedSource = SegmentSource | ListSource | RunSource;
export type FeedAudience = z.infer<typeof feedAudience>;

export interface SourcePlace {
  source: FeedSource;
  isExcluded: boolean;
  country: string;
}

export function segmentAlone(source: SegmentSource): FeedAudience {
  return { include: [source], exclude: [], holdOut: null };
}

/** Returns the segment if it is the entire audience, without exclusions, hold-out and split; otherwise null. */
export function onlySegment({
  include,
  exclude,
  elsewhere: others = [],
  holdOut: held,
  split: part,
}: FeedAudience): SegmentSource | null {
  const [first] = include;
  if (!first || include.length + exclude.length + others.length > 1 || held !== null || part) return null;
  return 'segment' in first ? first : null;
}

/**
 * Returns the rank of each source, from 1. If several sources hold a person in different countries, the lowest rank
 * counts. Lists come first, then earlier runs, then segments, each in their order in `include`.
 */
export function ranksOf(include: readonly FeedSource[]): number[] {
  const kindOf = (source: FeedSource) => ('listId' in source ? 0 : 'runId' in source ? 1 : 2);
  return include.map((source, index) => 1 + kindOf(source) * include.length + index);
}

/**
 * Returns an upper bound of the users; null if one source has no estimate. The overlap of the sources is unknown. With
 * a split, the bound is an expected number.
 */
export function estimateOf({ include, split: part }: Pick<FeedAudience, 'include' | 'split'>): number | null {
  const all = include.reduce<number | null>(
    (sum, { estimate }) => (sum === null || estimate === null ? null : sum + estimate),
    0,
  );
  // The estimates of all parts add up to the estimate of the whole.
  const upTo = (share: number) => Math.round(((all ?? 0) * share) / 10_000);
  return all === null || !part ? all : upTo(part.to) - upTo(part.from);
}
