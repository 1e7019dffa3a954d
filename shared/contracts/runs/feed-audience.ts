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
 * What a feed's audience is made of, as it was resolved when its run began: who is in `include`, and not in `exclude`.
 */
export const feedAudience = z.object({
  include: z.array(z.union([segmentSource, listSource, runSource])).min(1),
  exclude: z.array(z.union([segmentSource, listSource, runSource])),
  /** Who belongs to the audience and gets nothing. */
  holdOut: holdOut.nullable(),
});

export type SegmentSource = z.infer<typeof segmentSource>;
export type ListSource = z.infer<typeof listSource>;
export type RunSource = z.infer<typeof runSource>;
export type FeedSource = SegmentSource | ListSource | RunSource;
export type FeedAudience = z.infer<typeof feedAudience>;

export function segmentAlone(source: SegmentSource): FeedAudience {
  return { include: [source], exclude: [], holdOut: null };
}

/** The segment that is all of the audience, without exclusions and hold-out; null where there is more to it. */
export function onlySegment({ include, exclude, holdOut: held }: FeedAudience): SegmentSource | null {
  const [first, ...others] = include;
  if (!first || others.length > 0 || exclude.length > 0 || held !== null) return null;
  return 'segment' in first ? first : null;
}

/** At most so many users; null as soon as one source does not know. How many are in several of them is unknown. */
export function estimateOf({ include }: Pick<FeedAudience, 'include'>): number | null {
  return include.reduce<number | null>(
    (sum, { estimate }) => (sum === null || estimate === null ? null : sum + estimate),
    0,
  );
}
