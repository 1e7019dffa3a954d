import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { FeedDirectory } from './feed-directory.ts';

/**
 * A pause, a cancellation or a deadline is seen this soon by what waits for a slot, however long the calls before it
 * take.
 */
export const lookForStopsMs = 500;
/** So long after the last claim of a stopped feed, no message of it is left. */
const forgetAfterMs = 10_000;

export interface StoppedFeedsDeps {
  directory: Pick<FeedDirectory, 'stoppedOf'>;
  /** What waits of these feeds is to be given back. */
  onStopped: (feedIds: readonly string[]) => void;
  clock: Clock;
  logger: Logger;
}

/**
 * Feeds whose runs were paused or cancelled, or are past their deadline: what is claimed of them gives its place up at
 * once, instead of waiting for a slot to hear of it.
 */
export interface StoppedFeeds {
  /**
   * Looks now and then which are stopped among these feeds, and among those that were lately. Nothing waits for it:
   * where looks take long, steps go on to be claimed and recorded meanwhile.
   * @param waitingFeeds those of which a step waits for a slot
   */
  look(waitingFeeds: () => readonly string[]): void;
  /** As far as is known here. */
  isStopped(feedId: string): boolean;
  /** The same for a feed of which a claim has just come: a stopped one is remembered for longer by that. */
  onClaimed(feedId: string): boolean;
}

export function createStoppedFeeds({ directory, onStopped, clock, logger }: StoppedFeedsDeps): StoppedFeeds {
  /** With the moment at which each is forgotten. */
  let stopped = new Map<string, number>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function ask(feedIds: readonly string[], nowMs: number): Promise<void> {
    try {
      const found = await directory.stoppedOf(feedIds);
      stopped = new Map(found.map((feedId) => [feedId, stopped.get(feedId) ?? nowMs + forgetAfterMs]));
      onStopped(found);
    } catch (error) {
      // What is called asks for itself; the next look comes soon.
      logger.warn({ err: error, feeds: feedIds.length }, 'could not look for runs that were stopped');
    } finally {
      isLooking = false;
    }
  }

  return {
    look: (waitingFeeds) => {
      const nowMs = clock.monotonicMs();
      if (isLooking || nowMs - lookedAtMs < lookForStopsMs) return;
      const waiting = waitingFeeds();
      if (waiting.length === 0 && stopped.size === 0) return;
      lookedAtMs = nowMs;
      isLooking = true;
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
