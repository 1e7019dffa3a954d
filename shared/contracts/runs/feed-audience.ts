import { z } from 'zod';

/** What a feed is shown to wait for whose country begins later than its run. */
export const notItsTimeYet = 'it is not its time yet in this country';
import { earlierOutcomes } from '../../domain/run/earlier-outcomes.ts';

/** A segment of the segmentation service, in the snapshot that the feed pages. */
const segmentSource = z.object({
  segment: z.string(),
  snapshot: z.string(),
  /** Users that the segmentation service estimated; null where it did not. */
  estimate: z.number().nullable(),
});

/** An uploaded list, by its uuid. It never changes. */
const listSource = z.object({ listId: z.string(), estimate: z.number() });

/** Users that an earlier run's chain was begun for, by how it ended for them. */
const runSource = z.object({
  runId: z.string(),
  /** The run's feeds of the same country. */
  feedIds: z.array(z.string()),
  /** Length of its chain. */
  steps: z.number(),
  /** Everybody where absent. */
  outcomes: z.array(z.enum(earlierOutcomes)).optional(),
  /** The step that the outcomes are of; the chain as a whole where absent. */
  step: z.number().optional(),
  estimate: z.number().nullable(),
});

const holdOut = z.object({
  /** Above 0, below 100. */
  percent: z.number(),
  seed: z.string(),
});

/**
 * What lists and earlier runs hold in another country of the run: a person has one country in it
 * (docs/decisions/0004-audiences-are-sorted-streams.md).
 */
const elsewhere = z.object({
  country: z.string(),
  source: z.union([listSource, runSource]),
  /** Place of the source in `include`; null for one that excludes. */
  included: z.number().nullable(),
});

/**
 * What a feed's audience is made of, as it was resolved when its run began: who is in `include`, and not in `exclude`.
 */
export const feedAudience = z.object({
  include: z.array(z.union([segmentSource, listSource, runSource])).min(1),
  exclude: z.array(z.union([segmentSource, listSource, runSource])),
  /** Absent where there is none. */
  elsewhere: z.array(elsewhere).optional(),
  /** Who belongs to the audience and gets nothing. */
  holdOut: holdOut.nullable(),
});

export type SegmentSource = z.infer<typeof segmentSource>;
export type ListSource = z.infer<typeof listSource>;
export type RunSource = z.infer<typeof runSource>;
export type Elsewhere = z.infer<typeof elsewhere>;
export type FeedSource = SegmentSource | ListSource | RunSource;
export type FeedAudience = z.infer<typeof feedAudience>;

/** A source of a run's audience in one country. */
export interface SourcePlace {
  source: FeedSource;
  isExcluded: boolean;
  country: string;
}

export function segmentAlone(source: SegmentSource): FeedAudience {
  return { include: [source], exclude: [], holdOut: null };
}

/** The segment that is all of the audience, without exclusions and hold-out; null where there is more to it. */
export function onlySegment({
  include,
  exclude,
  elsewhere: others = [],
  holdOut: held,
}: FeedAudience): SegmentSource | null {
  const [first] = include;
  if (!first || include.length + exclude.length + others.length > 1 || held !== null) return null;
  return 'segment' in first ? first : null;
}

/**
 * Of several sources that hold a person in different countries, the one of the lowest rank counts: lists, then earlier
 * runs, then segments, each in the order in which they are named. From 1.
 */
export function ranksOf(include: readonly FeedSource[]): number[] {
  const kindOf = (source: FeedSource) => ('listId' in source ? 0 : 'runId' in source ? 1 : 2);
  return include.map((source, index) => 1 + kindOf(source) * include.length + index);
}

/** At most so many users; null as soon as one source does not know. How many are in several of them is unknown. */
export function estimateOf({ include }: Pick<FeedAudience, 'include'>): number | null {
  return include.reduce<number | null>(
    (sum, { estimate }) => (sum === null || estimate === null ? null : sum + estimate),
    0,
  );
}
