import type { AudienceParts } from '../../../shared/contracts/campaigns/exact-counts.ts';
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

/** Users that are skipped between two fed users. */
export interface Gap extends SkippedUsers {
  /** Number of the page's users before the gap. */
  at: number;
  heldOutIds?: string[];
  /** Last skipped user; if the gap skips none, the user before the gap. */
  last: string;
  /** Users of the audience, since the previous gap, that several sources contain; absent if not counted. */
  shared?: number;
}

export interface FetchedPage {
  kind: 'page';
  users: readonly string[];
  gaps: readonly Gap[];
  isLast: boolean;
  /** Contributions of the sources to the users of the page, skipped ones included; absent if not counted. */
  parts?: AudienceParts;
  /** Audience with new snapshots, if the snapshot of a segment was deleted; else null. */
  fresh: FeedAudience | null;
}

/** Checked pages of a feed's audience, from its cursor on. */
export interface PageSource {
  next(signal: AbortSignal): Promise<FetchedPage | Stall>;
  standing(): FeedStanding;
}

export interface SourcePage {
  kind: 'page';
  /** Strictly ascending, after all earlier pages. Only the last page may be empty. */
  users: readonly string[];
  isLast: boolean;
  /** Segment with the new snapshot, if the previous snapshot was deleted; else null. */
  fresh: SegmentSource | null;
}

/** Pages of one source of an audience, from the feed's cursor on. */
export interface SourcePages {
  next(signal: AbortSignal): Promise<SourcePage | Stall>;
  standing(): FeedStanding;
}

/** Kind of fault that keeps a page from being fed. A passing fault may end by itself, a lasting one needs a person. */
export type StallKind = 'passing' | 'lasting';

const pauses = {
  passing: { firstDelayMs: 500, maxDelayMs: 30_000 },
  lasting: { firstDelayMs: 10_000, maxDelayMs: 300_000 },
};

export interface StallTerms {
  /** Stalls in a row so far. */
  stalls: number;
  /** In [0, 1). */
  random: () => number;
}

/**
 * Returns the stall with its pause, which doubles with each stall in a row. Passing stalls have random pauses, so that
 * feeds do not retry together. Lasting ones have exact pauses, so that the person who repairs the fault knows the time.
 */
export function stallOf(kind: StallKind, cause: string, { stalls, random }: StallTerms): Stall {
  const share = kind === 'passing' ? random() : 1;
  return { kind: 'stalled', cause, retryInMs: backoffMs(pauses[kind], stalls + 1, share) };
}
