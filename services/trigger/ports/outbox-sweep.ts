import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';

/** Reference that can be published again, built from committed rows alone. */
export interface LostRef extends StepRef {
  /** Users lost before this step. `remaining` is the number of users still to be served in it. */
  lost: string[];
  remaining: number;
}

export interface SweptFeed {
  feedId: string;
  chainLength: number;
}

export interface DueRefs {
  /** References to publish, already marked as offered in their rows. */
  offers: LostRef[];
  /** Steps whose leases have lapsed too often: they may not be claimed any more. */
  quarantined: StepRef[];
  /** Feeds that reached the limit: more of their references may be due. */
  more: string[];
}

export interface WindowLook {
  /** Steps that a worker has claimed and whose leases have not ended. */
  running: number;
  /** Start of the next window; null at the end. */
  next: number | null;
}

/**
 * Finds references that were lost in a crash or wait for a retry. The agenda lists such steps until they are through
 * the chain; other open steps are above the feed's mark. So a look costs what is open, not the size of the run.
 */
export interface OutboxSweep {
  /**
   * Processes due entries of the agendas, at most `limit` per feed. Deletes entries that are through the chain,
   * postpones claimed ones, and marks the rest as offered. The next offer follows after 10 s, then 20 s, up to 10 min.
   * Offers one batch of a held step when its try is due.
   * @param busy steps whose topics hold unhandled messages: earlier offers are still there, and are not repeated
   */
  due(feeds: readonly SweptFeed[], limit: number, busy: readonly FeedStep[]): Promise<DueRefs>;
  /**
   * Returns milliseconds until the first agenda entry is due, by feed with an entry within `withinMs` (default: any).
   */
  nextDue(feedIds: readonly string[], withinMs?: number): Promise<Map<string, number>>;
  /** Reverts offers that could not be published: they are due again in five seconds and do not count. */
  takeBack(refs: readonly StepRef[]): Promise<void>;
  /**
   * Examines `limit` of a feed's fed batches, from `from` or the feed's mark on. Puts lapsed steps on the agenda, and
   * missing steps if they are in `unborn`. Moves the mark past batches that are through the chain or on the agenda.
   */
  look(feed: SweptFeed, window: { from: number; limit: number; unborn: readonly number[] }): Promise<WindowLook>;
}
