import { maxBatchUsers } from '../../shared/domain/batch.ts';
import { backoffMs } from '../../shared/domain/retry.ts';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FeedStore, OwnedFeed } from './ports/feed-store.ts';
import type { MessagePublisher, OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { Segmentation } from './ports/segmentation.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { cutBatches, type Cut } from './cut-batches.ts';
import { createPageSource } from './page-source.ts';
import { fedMessages } from './step-messages.ts';

/** Per transaction: 5 to 10 pages in one were measured to halve the trigger's cost of a batch. */
const maxBatchesPerWrite = 100;
const enoughUsersForWrite = 5000;
/** How long a page waits for others to be written with it. */
const maxGatherMs = 100;

/** A pager asks for room for what it will fetch until it is asked again. */
const lookAheadMs = 200;
const maxBatchesAhead = 400;

/** Both loops are poked when there is something to do. */
const idleMs = 60_000;
const afterErrorMs = 1000;
const publishBackoff = { firstDelayMs: 200, maxDelayMs: 10_000 };

export interface FeedPagerDeps {
  feed: OwnedFeed;
  /** When the feed was claimed, by the clock's `monotonicMs`, taken before the claim. */
  claimedAtMs: number;
  segmentation: Segmentation;
  feedStore: FeedStore;
  publisher: MessagePublisher;
  topics: TopicNames;
  pageSize: number;
  /** Users that may wait in memory, asked before each page. */
  maxBufferedUsers: () => number;
  /** There are users to write and no room to write them. */
  onNeedRoom: () => void;
  /** It does nothing more, for the reason that `end` gives. */
  ended: () => void;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

/**
 * - `complete`: all users are fed.
 * - `lost`: another trigger has taken the feed over.
 * - `expired`: the run's deadline has passed.
 * - `unverified`: a write failed, and may have been written all the same: whoever goes on has to read the cursor again.
 */
export type PagerEnd = 'complete' | 'lost' | 'expired' | 'unverified';

/** Pages one feed: fetches the next pages while the last ones are written, and writes no more than was granted. */
export interface FeedPager {
  readonly feed: OwnedFeed;
  start(): void;
  end(): PagerEnd | null;
  /** Batches granted and not written yet. */
  granted(): number;
  /** Batches that it could use on top of those. */
  wants(): number;
  grant(batches: number): void;
  stopFetching(): Promise<void>;
  /** Fetches and writes nothing more; resolves when a write that was begun is published. */
  stop(): Promise<void>;
}

export function createFeedPager(deps: FeedPagerDeps): FeedPager {
  const { feed, feedStore, clock, logger } = deps;
  const source = createPageSource(deps);
  const deadlineMs = deps.claimedAtMs + feed.deadlineInMs;
  const topic = deps.topics.shard({ actionType: feed.firstAction, country: feed.country });

  let buffered: readonly string[] = [];
  let isLast = false;
  let bufferedSinceMs = 0;
  let batchesPerMs = 0;
  let stalled = false;
  let isWaitingForRoom = false;
  let granted = 0;
  let cursor = feed.cursor;
  let nextBatchNo = feed.nextBatchNo;
  let end: PagerEnd | null = null;

  function endAs(reason: PagerEnd): void {
    if (end !== null) return;
    end = reason;
    deps.ended();
  }

  function isOver(): boolean {
    if (end === null && clock.monotonicMs() >= deadlineMs) endAs('expired');
    return end !== null;
  }

  const isFull = () => buffered.length >= deps.maxBufferedUsers();

  async function fetchTurn(signal: AbortSignal): Promise<number> {
    isWaitingForRoom = false;
    const isStopped = () => signal.aborted;
    while (!isStopped() && !isOver() && !isLast && !isFull()) {
      const askedMs = clock.monotonicMs();
      const page = await source.next(signal);
      if (isStopped()) break;
      if (page.kind === 'stalled') return await stall(page);
      take(page, clock.monotonicMs() - askedMs);
      if (stalled) await unstall();
    }
    isWaitingForRoom = true;
    return idleMs;
  }

  function take(page: { users: readonly string[]; isLast: boolean }, tookMs: number): void {
    batchesPerMs = page.users.length / maxBatchUsers / Math.max(1, tookMs);
    const isFirst = buffered.length < maxBatchUsers;
    if (isFirst) bufferedSinceMs = clock.monotonicMs();
    buffered = buffered.length === 0 ? page.users : buffered.concat(page.users);
    isLast = page.isLast;
    if (granted === 0) deps.onNeedRoom();
    // Not for every page: each poke costs as much as parsing a hundred ids, and the gathering has its own end.
    if (isFirst || isLast || isFull() || buffered.length >= enoughUsersForWrite) writes.poke();
  }

  async function unstall(): Promise<void> {
    await feedStore.stall(feed.feedId, feed.token, null);
    stalled = false;
  }

  async function stall({ cause, retryInMs }: { cause: string; retryInMs: number }): Promise<number> {
    if (!stalled) logger.warn({ feedId: feed.feedId, runId: feed.runId, country: feed.country, cause }, 'feed stalled');
    stalled = true;
    granted = Math.min(granted, batchesIn(buffered));
    // Every time, since a write of pages that were fetched before takes the cause away.
    await feedStore.stall(feed.feedId, feed.token, cause);
    return retryInMs;
  }

  async function writeTurn(signal: AbortSignal): Promise<number> {
    while (!signal.aborted && !isOver()) {
      const waitMs = gatherMs();
      if (waitMs > 0) return waitMs;
      const maxBatches = Math.min(granted, maxBatchesPerWrite);
      const cut = cutBatches(buffered, { maxBatches, nextBatchNo, isLast, mustMove: isFull() });
      if (cut.taken === 0 && !cut.complete) return idleMs;
      await write(cut, signal);
    }
    return idleMs;
  }

  /** How long to wait for more pages; 0 when there are enough, or when they have waited long enough. */
  function gatherMs(): number {
    if (isLast || isFull() || buffered.length >= enoughUsersForWrite) return 0;
    if (buffered.length < maxBatchUsers) return idleMs;
    return Math.max(0, bufferedSinceMs + maxGatherMs - clock.monotonicMs());
  }

  async function write(cut: Cut, signal: AbortSignal): Promise<void> {
    const { batches, invalidUsers, complete } = cut;
    const lastTaken = cut.taken > 0 ? buffered[cut.taken - 1] : undefined;
    const pages = {
      feedId: feed.feedId,
      token: feed.token,
      batches,
      invalidUsers,
      cursor: lastTaken ?? cursor,
      complete,
    };
    try {
      if (!(await feedStore.writePages(pages))) {
        endAs('lost');
        return;
      }
    } catch (error) {
      logger.warn({ err: error, feedId: feed.feedId }, 'could not write pages, giving the feed back');
      endAs('unverified');
      return;
    }
    cursor = pages.cursor;
    nextBatchNo += batches.length;
    granted = Math.max(0, granted - batches.length);
    buffered = buffered.slice(cut.taken);
    bufferedSinceMs = clock.monotonicMs();
    // A stalled feed keeps to its backoff.
    if (isWaitingForRoom) fetches.poke();
    if (granted === 0 && buffered.length > 0) deps.onNeedRoom();
    await publish(fedMessages(topic, feed.feedId, batches), signal);
    if (complete) endAs('complete');
  }

  /** What is still not published when the pager stops is found by the sweeper. */
  async function publish(records: readonly OutgoingMessage[], signal: AbortSignal): Promise<void> {
    if (records.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await deps.publisher.publish(records);
        return;
      } catch (error) {
        logger.warn({ err: error, feedId: feed.feedId, attempt }, 'could not publish batches');
      }
      await clock.sleep(backoffMs(publishBackoff, attempt, deps.random()), signal);
      if (signal.aborted) return;
    }
  }

  const fetches = createLoop({ name: 'fetch-pages', turn: fetchTurn, afterErrorMs, clock, logger });
  const writes = createLoop({ name: 'write-pages', turn: writeTurn, afterErrorMs, clock, logger });

  return {
    feed,
    start: () => {
      fetches.start();
      writes.start();
    },
    end: () => end,
    granted: () => granted,
    wants: () => {
      if (end !== null) return 0;
      const ahead = isLast || stalled ? 0 : Math.min(maxBatchesAhead, Math.ceil(batchesPerMs * lookAheadMs));
      return Math.max(0, batchesIn(buffered) + ahead - granted);
    },
    grant: (batches) => {
      granted += batches;
      writes.poke();
    },
    stopFetching: () => fetches.stop(),
    stop: async () => {
      await Promise.all([fetches.stop(), writes.stop()]);
    },
  };
}

function batchesIn(users: readonly string[]): number {
  return Math.ceil(users.length / maxBatchUsers);
}
