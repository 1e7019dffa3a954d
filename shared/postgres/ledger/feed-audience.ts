import { estimateOf, onlySegment, type FeedAudience } from '../../contracts/runs/feed-audience.ts';

/** Columns of a feed's audience: a single segment has its own columns, any other audience is stored as JSON. */
export interface AudienceColumns {
  segment: string | null;
  snapshot: string | null;
  estimate: number | null;
  audience: FeedAudience | null;
}

export function audienceColumnsOf(audience: FeedAudience): AudienceColumns {
  const estimate = estimateOf(audience);
  const alone = onlySegment(audience);
  if (alone) return { segment: alone.segment, snapshot: alone.snapshot, estimate, audience: null };
  return { segment: null, snapshot: null, estimate, audience };
}

export function audienceOf({ segment, snapshot, estimate, audience }: AudienceColumns): FeedAudience {
  if (audience !== null) return audience;
  if (segment === null || snapshot === null) throw new Error('a feed has neither a segment nor an audience');
  return { include: [{ segment, snapshot, estimate }], exclude: [], holdOut: null };
}
