import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';

/** Reference that can be published again, built from committed rows alone. */
export interface LostRef extends StepRef {
  /** Ids of users who were lost before this step. `remaining` is the number of users still to be served in the step. */
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
  /** Steps whose leases have expired too often without a result. They may not be claimed any more. */
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
 * Finds references that were lost in a crash, or that wait for a retry. Such steps are listed on the agenda until their
 * batches are through the chain. All other open steps belong to batches above the feed's mark. The cost of a look
 * therefore depends on the open steps, not on the size of the run.
 */
export interface OutboxSweep {
  /**
   * Processes due entries of the agendas, at most `limit` per feed. Entries of batches that are through the chain are
   * deleted. Entries that a worker has claimed are postponed. All others are marked as offered: the next offer follows
   * after 10 s, then 20 s, up to 10 min. Of a held step, only one batch is offered, as a probe, when it is due.
   * @param busy steps whose topics contain unhandled messages; their earlier offers still exist, and are not repeated
   */
  due(feeds: readonly SweptFeed[], limit: number, busy: readonly FeedStep[]): Promise<DueRefs>;
  /**
   * Returns, by feed, the milliseconds until its first agenda entry is due. Contains only feeds with an entry that is
   * due within `withinMs` (default: at any time).
   */
  nextDue(feedIds: readonly string[], withinMs?: number): Promise<Map<string, number>>;
  /** Reverts offers that could not be published: they are due again in five seconds and do not count. */
  takeBack(refs: readonly StepRef[]): Promise<void>;
  /**
   * Examines at most `limit` fed batches of a feed, beginning with batch `from` or the feed's mark. Puts steps with
   * expired leases on the agenda. Missing steps are put there too, if they are in `unborn`. Moves the mark past batches
   * that are through the chain or on the agenda.
   */
  look(feed: SweptFeed, window: { from: number; limit: number; unborn: readonly number[] }): Promise<WindowLook>;
}
