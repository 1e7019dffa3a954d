import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';
import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { createAllowance } from './allowance.ts';
import { createAudiencePages } from '../pages/audience-pages.ts';
import { createPageBuffer, type BufferCut } from './page-buffer.ts';
import type { FeedStanding, PageRequestLimiter } from '../pages/page-requests.ts';
import type { FetchedPage, Stall } from '../pages/page-source.ts';
import type { RunApprovals } from '../ports/run-approvals.ts';
import type { FeedStore, OwnedFeed } from '../ports/feed-store.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';
import { createFeedWriter } from './feed-writer.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';

const maxBatchesPerWrite = 100;
/** Pause in milliseconds of the two loops (fetching and writing) without work. New work wakes them. */
const idleMs = 60_000;
const afterErrorMs = 1000;

export interface FeedPagerDeps {
  feed: OwnedFeed;
  /** Monotonic time at which the feed's claim was requested. */
  claimedAtMs: number;
  segmentation: Segmentation;
  storedAudiences: StoredAudiences;
  limiter: PageRequestLimiter;
  feedStore: FeedStore;
  publisher: MessagePublisher;
  topics: TopicNames;
  pageSize: number;
  /** Returns the maximum number of users of this feed in memory. Called before each page. */
  maxBufferedUsers: () => number;
  /** Called when users wait to be written, but the pager has no granted batches. */
  onNeedRoom: () => void;
  /** Called when the pager has ended. `end` contains the reason. */
  onEnded: () => void;
  clock: Clock;
  random: () => number;
  runApprovals: Pick<RunApprovals, 'goBeyond'>;
  tracing?: Tracing | null | undefined;
  figures: Pick<TriggerFigures, 'stalled'>;
  warn: ThrottledWarn;
  logger: Logger;
}

/**
 * Reason for which a pager ended.
 * - `complete`: all users are fed.
 * - `lost`: another trigger has claimed the feed.
 * - `expired`: the deadline of the run has passed.
 * - `stalled`: the next page is not available, and all earlier pages are written. After a pause, a trigger claims the
 *   feed again.
 * - `unverified`: a write failed, but may have been committed. The next owner must read the cursor from the database.
 * - `beyond`: the feed has reached its limit of users. If the limit is raised, a trigger claims the feed again.
 */
export type PagerEnd = 'complete' | 'lost' | 'expired' | 'stalled' | 'unverified' | 'beyond';

/** Pages one feed. Fetches the next pages while it writes earlier ones, and writes only batches that were granted. */
export interface FeedPager {
  readonly feed: OwnedFeed;
  start(): void;
  end(): PagerEnd | null;
  /**
   * Returns true if the pager waits because of a fault of its own feed: a page is missing, or the topic rejects
   * messages.
   */
  isStalled(): boolean;
  requestState(): FeedStanding;
  /** Returns the number of batches that were granted and are not written yet. */
  granted(): number;
  /** Returns how many batches the pager could use until the next scan of the grants, beyond its current grant. */
  wants(untilNextPollMs: number): number;
  grant(batches: number): void;
  stopFetching(): Promise<void>;
  /** Stops fetching and writing. Resolves when the write in progress is committed and published. */
  stop(): Promise<void>;
}

export function createFeedPager(deps: FeedPagerDeps): FeedPager {
  const { feed, feedStore, clock, logger, warn } = deps;
  const source = createAudiencePages(deps);
  const buffer = createPageBuffer({ batchUsers: feed.batchUsers, maxUsers: deps.maxBufferedUsers, clock });
  const allowance = createAllowance(feed.batchUsers);
  const deadlineMs = deps.claimedAtMs + feed.deadlineInMs;
  const writer = createFeedWriter(deps);
  const facts = { feedId: feed.feedId, runId: feed.runId, country: feed.country };

  let { audience } = feed;
  let stall: Stall | null = null;
  let isWaitingForRoom = false;
  let end: PagerEnd | null = null;

  function endAs(reason: PagerEnd): void {
    if (end !== null) return;
    end = reason;
    deps.onEnded();
  }

  function isOver(signal: AbortSignal): boolean {
    if (end === null && clock.monotonicMs() >= deadlineMs) endAs('expired');
    return end !== null || signal.aborted;
  }

  async function fetchTurn(signal: AbortSignal): Promise<number> {
    isWaitingForRoom = false;
    while (!isOver(signal) && buffer.wantsPage()) {
      const requestedAtMs = clock.monotonicMs();
      const next = await source.next(signal);
      if (signal.aborted) break;
      if (next.kind === 'stalled') {
        await stallFeed(next);
        return idleMs;
      }
      if (next.fresh) await goOnWith(next.fresh);
      take(next, clock.monotonicMs() - requestedAtMs);
    }
    isWaitingForRoom = true;
    return idleMs;
  }

  function take(page: FetchedPage, tookMs: number): void {
    const hadBatch = buffer.hasBatch();
    buffer.add(page);
    allowance.fetched(page.users.length, tookMs);
    if (allowance.granted() === 0) deps.onNeedRoom();
    // Not every page wakes the writer, because a wake-up costs as much as parsing a hundred ids. When the time of
    // `gatherMs` is over, the writer wakes by itself.
    if (!hadBatch || buffer.gatherMs() === 0) writes.poke();
  }

  /**
   * Marks the feed as stalled. The database keeps the cause until the feed continues, even while pages that were
   * fetched before are written.
   */
  async function stallFeed(next: Stall): Promise<void> {
    const { cause, retryInMs } = next;
    await feedStore.stall(feed.feedId, feed.token, cause, retryInMs);
    deps.figures.stalled(feed.country);
    warn('feed stalled', cause, { ...facts, retryInMs });
    stall = next;
    buffer.seal();
    allowance.limitTo(buffer.batches());
    writes.poke();
  }

  async function goOnWith(fresh: FeedAudience): Promise<void> {
    audience = fresh;
    await feedStore.renewAudience(feed.feedId, feed.token, fresh);
    logger.info({ ...facts, ...fresh }, 'snapshot was gone, feed goes on behind its cursor on a fresh one');
  }

  async function writeTurn(signal: AbortSignal): Promise<number> {
    while (!isOver(signal)) {
      const waitMs = buffer.gatherMs() ?? idleMs;
      if (waitMs > 0) return waitMs;
      const maxUsers = writer.mayServe;
      if (maxUsers <= 0) {
        endAs('beyond');
        return idleMs;
      }
      const maxBatches = Math.min(allowance.granted(), maxBatchesPerWrite);
      const cut = buffer.cut({ maxBatches, maxUsers, nextBatchNo: writer.nextBatchNo });
      if (cut.reached === undefined && !cut.complete) {
        // The users that are left do not fill a batch. The next owner fetches them again.
        if (stall && (maxBatches > 0 || !buffer.hasBatch())) endAs('stalled');
        return idleMs;
      }
      if (!(await write(cut))) return idleMs;
      await writer.publish(cut, signal);
      if (!cut.complete) continue;
      writer.noteShortfall(audience);
      endAs('complete');
    }
    return idleMs;
  }

  async function write(cut: BufferCut): Promise<boolean> {
    const written = await writer.write(cut, stall !== null);
    if (written !== 'written') {
      endAs(written);
      return false;
    }
    allowance.spend(cut.batches.length);
    buffer.drop(cut);
    if (isWaitingForRoom) fetches.poke();
    return true;
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
    requestState: () => source.standing(),
    isStalled: () => stall !== null || writer.isUnpublishable,
    granted: () => allowance.granted(),
    wants: (untilNextPollMs) =>
      end === null ? allowance.wants(buffer.batches(), buffer.isOpen(), untilNextPollMs) : 0,
    grant: (batches) => {
      allowance.grant(batches);
      writes.poke();
    },
    stopFetching: () => fetches.stop(),
    stop: async () => {
      await Promise.all([fetches.stop(), writes.stop()]);
    },
  };
}
