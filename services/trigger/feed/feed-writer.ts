import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';
import { shortfallNote } from '../../../shared/domain/run/feed-notes.ts';
import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';
import type { RunApprovals } from '../ports/run-approvals.ts';
import type { Cut } from './cut-batches.ts';
import type { FeedStore, OwnedFeed } from '../ports/feed-store.ts';
import type { BufferCut } from './page-buffer.ts';
import { createFeedTraces } from './feed-traces.ts';
import { publishUntilStopped } from './publish-until-stopped.ts';
import { fedMessages } from './step-messages.ts';

export interface FeedWriterDeps {
  feed: OwnedFeed;
  feedStore: FeedStore;
  publisher: MessagePublisher;
  topics: TopicNames;
  clock: Clock;
  random: () => number;
  runApprovals: Pick<RunApprovals, 'goBeyond'>;
  tracing?: Tracing | null | undefined;
  warn: ThrottledWarn;
  logger: Logger;
}

/**
 * Result of a write.
 * - `written`: the write is committed.
 * - `lost`: another trigger has claimed the feed.
 * - `unverified`: the write failed, but may have been committed.
 * - `beyond`: the feed has reached its limit of users. The run waits for an approval, or has a new limit.
 */
export type WriteEnd = 'written' | 'lost' | 'unverified' | 'beyond';

/**
 * Writes the batches of a feed, and publishes references to committed ones. Keeps the feed's position in the database.
 */
export interface FeedWriter {
  /** Number of users that may still be fed. While the canary of the run is in progress, only its users count. */
  readonly mayServe: number;
  readonly nextBatchNo: number;
  /** True while the topic rejects messages. */
  readonly isUnpublishable: boolean;
  /** @param staysStalled true to keep the cause of a stall that is displayed for the feed */
  write(cut: BufferCut, staysStalled: boolean): Promise<WriteEnd>;
  /**
   * Publishes references to committed batches, and retries until it succeeds. If the signal aborts before, the sweeper
   * publishes the references later.
   */
  publish(cut: Cut, signal: AbortSignal): Promise<void>;
  /** Logs a warning if the feed has fewer users at its end than its segment was estimated to have. */
  noteShortfall(audience: FeedAudience): void;
}

export function createFeedWriter(deps: FeedWriterDeps): FeedWriter {
  const { feed, feedStore, publisher, clock, random, runApprovals, tracing, warn, logger } = deps;
  const topic = deps.topics.shard({ actionType: feed.firstAction, country: feed.country });
  const facts = { feedId: feed.feedId, runId: feed.runId, country: feed.country };
  let { cursor, nextBatchNo, fedUsers, heldOutUsers, excludedUsers } = feed;
  const traces = tracing ? createFeedTraces({ feed, tracing, clock, random }) : undefined;
  const times = { beganMs: 0, writtenMs: 0 };
  let isUnpublishable = false;

  async function write(cut: BufferCut, staysStalled: boolean): Promise<WriteEnd> {
    const { batches, invalidUsers, skipped, complete } = cut;
    const { feedId, token } = feed;
    const reached = cut.reached ?? cursor;
    const more = cut.taken + skipped.heldOut;
    if (feed.usersAtMost !== null && fedUsers + more > feed.usersAtMost) {
      await runApprovals.goBeyond({ runId: feed.runId, feedId, country: feed.country, more });
      return 'beyond';
    }
    times.beganMs = clock.monotonicMs();
    const users = {
      batches,
      invalidUsers,
      skipped,
      sink: feed.isDry ? { shared: cut.shared, country: feed.country } : undefined,
    };
    try {
      const pages = { feedId, token, ...users, cursor: reached, complete, staysStalled };
      if (!(await feedStore.writePages(pages))) return 'lost';
    } catch (error) {
      warn('could not write pages, giving the feed back', String(error), facts);
      return 'unverified';
    }
    times.writtenMs = clock.monotonicMs();
    cursor = reached;
    nextBatchNo += batches.length;
    fedUsers += more;
    heldOutUsers += skipped.heldOut;
    excludedUsers += skipped.excluded;
    return 'written';
  }

  async function showTrouble(trouble: string | null): Promise<void> {
    isUnpublishable = trouble !== null;
    const cause = trouble === null ? null : `Kafka does not take messages of ${topic}: ${trouble}`;
    if (cause !== null) warn('could not publish batches', cause, facts);
    await feedStore.show(feed.feedId, feed.token, cause).catch((error: unknown) => {
      warn('could not show what a feed waits for', String(error), facts);
    });
  }

  return {
    get mayServe() {
      return feed.canaryUsers === null ? Infinity : feed.canaryUsers - fedUsers + heldOutUsers;
    },
    get nextBatchNo() {
      return nextBatchNo;
    },
    get isUnpublishable() {
      return isUnpublishable;
    },
    write,
    publish: async ({ batches }, signal) => {
      if (feed.isDry) return;
      const terms = { publisher, onTrouble: showTrouble, clock, random };
      await publishUntilStopped(fedMessages(topic, feed, batches), terms, signal);
      traces?.fed(batches, { ...times, publishedMs: clock.monotonicMs() });
    },
    noteShortfall: ({ include: [source, ...others], split }) => {
      // A warning is logged only for a single segment without variants. With several sources, the number of users to
      // expect is unknown, because a user may be in more than one. The users of a variant are a part of the segment.
      const isOneSegment = source && 'segment' in source && others.length === 0 && !split;
      const passed = { country: feed.country, fedUsers: fedUsers + excludedUsers, complete: true };
      const note = isOneSegment ? shortfallNote({ ...source, ...passed }) : null;
      if (note !== null) logger.warn({ ...facts, note }, 'segment ended before its estimate');
    },
  };
}
