import { LRUCache } from 'lru-cache';
import type { Verdict } from '../../shared/domain/admission.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FeedContext, FeedContexts } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

const maxFeeds = 10_000;
/** A pause, a cancel or a deadline is seen this soon at the latest. */
const maxAgeMs = 500;

export interface FeedDirectoryDeps {
  contexts: FeedContexts;
  clock: Clock;
  logger: Logger;
}

/** What this worker knows of feeds and their runs: contexts, which never change, and verdicts, which are read anew all the time. */
export interface FeedDirectory {
  /** Learns what is not known yet of these feeds. Feeds that do not exist stay unknown. */
  learn(feedIds: Iterable<string>): Promise<void>;
  contextOf(feedId: string): FeedContext | undefined;
  /** Whether a step of the feed may start now. When that cannot be found out, it may not. */
  verdictOf(feedId: string): Verdict | Promise<Verdict>;
}

export function createFeedDirectory({ contexts, clock, logger }: FeedDirectoryDeps): FeedDirectory {
  const known = new LRUCache<string, FeedContext>({ max: maxFeeds });
  let verdicts = new Map<string, Verdict>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  /** Feeds asked for since the last look: the next look is for them. */
  let asked = new Set<string>();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const feedIds = [...asked];
    asked = new Set();
    const startedMs = clock.monotonicMs();
    try {
      const admissions = await contexts.admissions(feedIds);
      verdicts = new Map(admissions.map(({ feedId, verdict }) => [feedId, verdict]));
      readAtMs = startedMs;
    } catch (error) {
      logger.warn({ err: error, feeds: feedIds.length }, 'could not read whether feeds may be served');
    } finally {
      looking = undefined;
    }
  }

  async function lookUp(feedId: string): Promise<Verdict> {
    // The look under way may have begun before this feed was asked for.
    await looking;
    if (!isFresh() || !verdicts.has(feedId)) await (looking ??= look());
    return isFresh() ? (verdicts.get(feedId) ?? 'hold') : 'hold';
  }

  const isFresh = () => clock.monotonicMs() - readAtMs < maxAgeMs;

  return {
    learn: async (feedIds) => {
      const unknown = [...new Set(feedIds)].filter((feedId) => !known.has(feedId));
      if (unknown.length === 0) return;
      for (const context of await contexts.load(unknown)) known.set(context.feedId, context);
    },
    contextOf: (feedId) => known.get(feedId),
    verdictOf: (feedId) => {
      asked.add(feedId);
      return (isFresh() ? verdicts.get(feedId) : undefined) ?? lookUp(feedId);
    },
  };
}
