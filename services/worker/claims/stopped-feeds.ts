import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { FeedDirectory } from './feed-directory.ts';

/**
 * Milliseconds within which waiting steps are released after a pause, a cancellation or a deadline, however long calls
 * take.
 */
export const checkStopsEveryMs = 500;
/**
 * Milliseconds after the last claim of a stopped feed until this worker forgets the feed. By then, none of the feed's
 * messages is left.
 */
const forgetAfterMs = 10_000;

export interface StoppedFeedsDeps {
  directory: Pick<FeedDirectory, 'stoppedOf'>;
  onStopped: (feedIds: readonly string[]) => void;
  clock: Clock;
  logger: Logger;
}

/** Feeds whose runs are paused, cancelled or past their deadline. Their claims are released before they get a slot. */
export interface StoppedFeeds {
  /**
   * Reads, if the last read is old enough, whether the waiting feeds are stopped and whether the recently stopped feeds
   * still are. Does not wait for the read, so that steps can be claimed and recorded meanwhile.
   * @param waitingFeeds returns the feeds with a step that waits for a slot
   */
  check(waitingFeeds: () => readonly string[]): void;
  /** Returns true if the feed is stopped, as far as this worker knows. */
  isStopped(feedId: string): boolean;
  /** Like `isStopped`, for a feed with a new claim. A stopped feed is then remembered for longer. */
  onClaimed(feedId: string): boolean;
}

export function createStoppedFeeds({ directory, onStopped, clock, logger }: StoppedFeedsDeps): StoppedFeeds {
  /** Stopped feeds, each with the monotonic time at which the worker forgets it. */
  let stopped = new Map<string, number>();
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let isChecking = false;

  async function ask(feedIds: readonly string[], nowMs: number): Promise<void> {
    try {
      const found = await directory.stoppedOf(feedIds);
      stopped = new Map(found.map((feedId) => [feedId, stopped.get(feedId) ?? nowMs + forgetAfterMs]));
      onStopped(found);
    } catch (error) {
      // Without the answer, no wrong call is made: each call checks the state of its run itself. The next read comes
      // soon.
      logger.warn({ err: error, feeds: feedIds.length }, 'could not check for runs that were stopped');
    } finally {
      isChecking = false;
    }
  }

  return {
    check: (waitingFeeds) => {
      const nowMs = clock.monotonicMs();
      if (isChecking || nowMs - checkedAtMs < checkStopsEveryMs) return;
      const waiting = waitingFeeds();
      if (waiting.length === 0 && stopped.size === 0) return;
      checkedAtMs = nowMs;
      isChecking = true;
      const lately = [...stopped].flatMap(([feedId, untilMs]) => (untilMs > nowMs ? [feedId] : []));
      void ask([...new Set([...waiting, ...lately])], nowMs);
    },
    isStopped: (feedId) => stopped.has(feedId),
    onClaimed: (feedId) => {
      if (!stopped.has(feedId)) return false;
      stopped.set(feedId, clock.monotonicMs() + forgetAfterMs);
      return true;
    },
  };
}
