import type { AudienceParts } from '../../../shared/contracts/campaigns/exact-counts.ts';
import type { PageUsers } from '../../../shared/domain/ids/page-users.ts';
import type { FeedAudience, SegmentSource } from '../../../shared/contracts/runs/feed-audience.ts';
import { backoffMs } from '../../../shared/domain/retry.ts';
import type { FeedStanding } from './page-requests.ts';
import type { SkippedUsers } from '../ports/feed-store.ts';

export interface Stall {
  kind: 'stalled';
  /** For people. */
  cause: string;
  retryInMs: number;
}

/** Users that are skipped between two fed users. */
export interface Gap extends SkippedUsers {
  /** Number of the page's users before the gap. */
  at: number;
  heldOutIds?: string[];
  /** Last skipped user; if the gap skips none, the user before the gap. */
  last: string;
  /** Number of users since the previous gap that several sources contain; absent if this is not counted. */
  shared?: number;
}

export interface FetchedPage {
  kind: 'page';
  users: PageUsers;
  gaps: readonly Gap[];
  isLast: boolean;
  /**
   * Number of users by source, for the users of this page including the skipped ones; absent if this is not counted.
   */
  parts?: AudienceParts;
  /** Audience with new snapshots, if the snapshot of a segment was deleted; else null. */
  fresh: FeedAudience | null;
}

/** Pages of a feed's audience after the feed's cursor. The pages have been checked. */
export interface PageSource {
  next(signal: AbortSignal): Promise<FetchedPage | Stall>;
  standing(): FeedStanding;
}

export interface SourcePage {
  kind: 'page';
  /** Strictly ascending, after all earlier pages. Only the last page may be empty. */
  users: PageUsers;
  isLast: boolean;
  /** Segment with the new snapshot, if the previous snapshot was deleted; else null. */
  fresh: SegmentSource | null;
}

/** Pages of one source of an audience, from the feed's cursor on. */
export interface SourcePages {
  next(signal: AbortSignal): Promise<SourcePage | Stall>;
  standing(): FeedStanding;
}

/**
 * Kind of fault that prevents a page from being fed. A passing fault may end without help; a lasting fault needs a
 * person.
 */
export type StallKind = 'passing' | 'lasting';

const pauses = {
  passing: { firstDelayMs: 500, maxDelayMs: 30_000 },
  lasting: { firstDelayMs: 10_000, maxDelayMs: 300_000 },
};

export interface StallTerms {
  /** Stalls in a row so far. */
  stalls: number;
  /** Random number in [0, 1). */
  random: () => number;
}

/**
 * Returns a stall with its pause, which doubles with each consecutive stall. The pause of a passing fault is
 * randomized, so that feeds do not retry all at once. The pause of a lasting fault is exact, so that the person who
 * repairs the fault knows when it ends.
 */
export function stallOf(kind: StallKind, cause: string, { stalls, random }: StallTerms): Stall {
  const share = kind === 'passing' ? random() : 1;
  return { kind: 'stalled', cause, retryInMs: backoffMs(pauses[kind], stalls + 1, share) };
}
