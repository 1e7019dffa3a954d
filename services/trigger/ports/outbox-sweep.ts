import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';

/** Reference to a step that can be published again. It is built only from committed rows. */
export interface LostRef extends StepRef {
  /**
   * Ids of users who failed or were suppressed before this step. `remaining` is the number of users still to be served
   * in the step.
   */
  lost: string[];
  remaining: number;
}

export interface SweptFeed {
  feedId: string;
  chainLength: number;
}

export interface DueRefs {
  /** References to publish. Their rows are already marked as offered. */
  offers: LostRef[];
  /** Steps whose leases have expired too often without a result. No worker may claim them any more. */
  quarantined: StepRef[];
  /** Feeds for which the limit was reached, so that more of their references may be due. */
  more: string[];
}

export interface ExaminedWindow {
  /** Number of steps that a worker has claimed and whose leases have not ended. */
  running: number;
  /** First batch of the next window; null if this was the last window. */
  next: number | null;
}

/**
 * Finds references that were lost in a crash, or that wait for a retry. Each feed has an agenda, which lists such steps
 * until their batches are through the chain, and a mark. All other open steps belong to batches above the mark. The
 * cost of a scan therefore depends on the number of open steps, not on the size of the run.
 */
export interface OutboxSweep {
  /**
   * Processes due entries of the agendas, at most `limit` per feed. Entries of batches that are through the chain are
   * deleted. Entries that a worker has claimed are postponed. All others are marked as offered, and are offered again
   * after 10 s, then 20 s, up to 10 min. Of a held step, only one batch is offered when it is due, as a probe.
   * @param busy steps whose topics contain unhandled messages. Their earlier offers still exist on the topic, so they
   * are not offered again.
   */
  due(feeds: readonly SweptFeed[], limit: number, busy: readonly FeedStep[]): Promise<DueRefs>;
  /**
   * Returns, by feed, the milliseconds until its first agenda entry is due. Contains only feeds with an entry that is
   * due within `withinMs` (default: at any time).
   */
  nextDue(feedIds: readonly string[], withinMs?: number): Promise<Map<string, number>>;
  /** Reverts offers that could not be published. They are due again in five seconds, and do not count as offers. */
  revertOffers(refs: readonly StepRef[]): Promise<void>;
  /**
   * Examines at most `limit` fed batches of a feed, beginning with batch `from` or the feed's mark. Adds steps with
   * expired leases to the agenda, and also steps without a row that are in `unrecorded`. Moves the mark past batches
   * that are through the chain or on the agenda.
   */
  examine(
    feed: SweptFeed,
    window: { from: number; limit: number; unrecorded: readonly number[] },
  ): Promise<ExaminedWindow>;
}
