import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';

/** A reference that can be published again: built from committed rows alone. */
export interface LostRef extends StepRef {
  /** Users lost before this step, and how many are still to be served in it. */
  lost: string[];
  remaining: number;
}

export interface SweptFeed {
  feedId: string;
  chainLength: number;
}

export interface DueRefs {
  /** To be published. That they were offered is marked in their rows already. */
  offers: LostRef[];
  /** Steps whose leases have lapsed too often: they may not be claimed any more. */
  quarantined: StepRef[];
  /** Feeds of which so many were due as were asked for: there may be more. */
  more: string[];
}

export interface WindowLook {
  /** Steps that a worker has claimed and whose leases have not run out. */
  running: number;
  /** Where the window goes on; null at its end. */
  next: number | null;
}

/**
 * What a crash, or a batch's own trouble, took off the straight way. Steps that left it stand on the agenda of their
 * feed until they are through the chain; what has not left it is above the feed's mark. So a look costs what is open,
 * not what the run holds.
 */
export interface OutboxSweep {
  /**
   * Looks at what is due on the agendas, at most `limit` of each feed: takes off what is through, moves on what is in
   * hand, and marks the rest as offered, the next time 10 s later, then 20 s, up to 10 min. Of a held step, one is
   * offered when its try is due.
   *
   * @param busy steps whose topics hold unhandled messages: what was offered before is there, and is not offered again
   */
  due(feeds: readonly SweptFeed[], limit: number, busy: readonly FeedStep[]): Promise<DueRefs>;
  /**
   * Returns in how many milliseconds the first entry on the agenda of each of these feeds is due. Feeds without an
   * entry within that time, which has no bound unless given, are left out.
   */
  nextDue(feedIds: readonly string[], withinMs?: number): Promise<Map<string, number>>;
  /** These could not be published: they are due again in five seconds, and do not count as offered. */
  takeBack(refs: readonly StepRef[]): Promise<void>;
  /**
   * Looks at a window of a feed's fed batches, `limit` of them from `from` or the feed's mark on: puts lapsed steps on
   * the agenda, and unborn ones where their step is among `unborn`, and moves the mark up over what is through or on
   * the agenda.
   */
  look(feed: SweptFeed, window: { from: number; limit: number; unborn: readonly number[] }): Promise<WindowLook>;
}
