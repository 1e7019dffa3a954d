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
import type { FeedStanding, PageQuestions } from '../pages/page-questions.ts';
import type { FetchedPage, Stall } from '../pages/page-source.ts';
import type { RunApprovals } from '../ports/run-approvals.ts';
import type { FeedStore, OwnedFeed } from '../ports/feed-store.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';
import { createFeedWriter } from './feed-writer.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';

const maxBatchesPerWrite = 100;
/** Pause without work: new work pokes both loops. */
const idleMs = 60_000;
const afterErrorMs = 1000;

export interface FeedPagerDeps {
  feed: OwnedFeed;
  /** Time of the claim by the clock's `monotonicMs`, measured before the claim. */
  claimedAtMs: number;
  segmentation: Segmentation;
  storedAudiences: StoredAudiences;
  questions: PageQuestions;
  feedStore: FeedStore;
  publisher: MessagePublisher;
  topics: TopicNames;
  pageSize: number;
  /** Users that may wait in memory, read before each page. */
  maxBufferedUsers: () => number;
  /** Called if users wait to be written and there is no room. */
  onNeedRoom: () => void;
  /** Called when the pager has ended, for the reason in `end`. */
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
 * - `complete`: all users are fed.
 * - `lost`: another trigger has claimed the feed.
 * - `expired`: the run's deadline has passed.
 * - `stalled`: the next page is not available; earlier ones are written. A trigger claims the feed after the pause.
 * - `unverified`: a write failed but may have been committed: the next owner has to read the cursor again.
 * - `beyond`: the feed has reached its bound on users. If the bound is raised, a trigger claims the feed again.
 */
export type PagerEnd = 'complete' | 'lost' | 'expired' | 'stalled' | 'unverified' | 'beyond';

/** Pages one feed. Fetches the next pages while it writes the last ones, and writes no more than was granted. */
export interface FeedPager {
  readonly feed: OwnedFeed;
  start(): void;
  end(): PagerEnd | null;
  /** Returns whether the pager waits for a fault of its own: a missing page, or a topic that rejects messages. */
  isStalled(): boolean;
  standing(): FeedStanding;
  /** Batches granted and not written yet. */
  granted(): number;
  /** Further batches that the pager could use until the next look. */
  wants(untilNextLookMs: number): number;
  grant(batches: number): void;
  stopFetching(): Promise<void>;
  /** Stops fetching and writing. Resolves when the write in progress is published. */
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
        await standStill(next);
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
    // The writer is not poked for every page: a poke costs as much as parsing a hundred ids, and `gatherMs` ends the
    // gathering anyway.
    if (!hadBatch || buffer.gatherMs() === 0) writes.poke();
  }

  /** Stalls the feed. The row keeps the cause until the feed moves again, even if earlier pages are written. */
  async function standStill(next: Stall): Promise<void> {
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
        // Less than a batch remains. The next owner fetches these users again.
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
    standing: () => source.standing(),
    isStalled: () => stall !== null || writer.isUnpublishable,
    granted: () => allowance.granted(),
    wants: (untilNextLookMs) =>
      end === null ? allowance.wants(buffer.batches(), buffer.isOpen(), untilNextLookMs) : 0,
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
