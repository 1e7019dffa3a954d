import type { AudienceParts } from '../../../shared/contracts/campaigns/audience-counts.ts';
import type { FeedAudience, SegmentSource } from '../../../shared/contracts/runs/feed-audience.ts';
import { backoffMs } from '../../../shared/domain/retry.ts';
import type { FeedStanding } from './page-questions.ts';
import type { SkippedUsers } from '../ports/feed-store.ts';

export interface Stall {
  kind: 'stalled';
  /** For people. */
  cause: string;
  retryInMs: number;
}

/** Users that are passed over, between two that are fed. */
export interface Gap extends SkippedUsers {
  /** How many of the page's users come before it. */
  at: number;
  heldOutIds?: string[];
  /** The last one of them; where none is passed over, the user before it. */
  last: string;
  /**
   * Where that is counted: of the audience, up to here and behind the gap before, those whom several sources name. They
   * are fed or held out like any other.
   */
  shared?: number;
}

export interface FetchedPage {
  kind: 'page';
  users: readonly string[];
  gaps: readonly Gap[];
  isLast: boolean;
  /** Where that is counted: how the users of the page, and those that are passed over in it, come from the sources. */
  parts?: AudienceParts;
  /** What the feed goes on with from now, where a segment's snapshot is gone. */
  fresh: FeedAudience | null;
}

/** The pages of a feed's audience behind its cursor, one after the other, each of them checked. */
export interface PageSource {
  next(signal: AbortSignal): Promise<FetchedPage | Stall>;
  standing(): FeedStanding;
}

export interface SourcePage {
  kind: 'page';
  /** Strictly ascending, behind all that came before. No user in the last page alone. */
  users: readonly string[];
  isLast: boolean;
  /** The snapshot that is gone on with, where the one before is gone. */
  fresh: SegmentSource | null;
}

/** The pages of one of the sources that an audience is made of, behind the feed's cursor. */
export interface SourcePages {
  next(signal: AbortSignal): Promise<SourcePage | Stall>;
  standing(): FeedStanding;
}

/**
 * Why a page cannot be fed now: a fault that may pass by itself, or one that a person has to mend, such as a page that
 * breaks the contract or a request that the service refuses.
 */
export type StallKind = 'passing' | 'lasting';

const pauses = {
  passing: { firstDelayMs: 500, maxDelayMs: 30_000 },
  lasting: { firstDelayMs: 10_000, maxDelayMs: 300_000 },
};

export interface StallTerms {
  /** How often in a row the feed has stalled before. */
  stalls: number;
  /** In [0, 1). */
  random: () => number;
}

/**
 * Returns the stall with its pause, which doubles from stall to stall. A passing one is random up to its ceiling, so
 * that many feeds do not ask together. A lasting one is exact: the person who mends it knows when the page is requested
 * again.
 */
export function stallOf(kind: StallKind, cause: string, { stalls, random }: StallTerms): Stall {
  const share = kind === 'passing' ? random() : 1;
  return { kind: 'stalled', cause, retryInMs: backoffMs(pauses[kind], stalls + 1, share) };
}
