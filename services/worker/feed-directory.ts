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
  /** Whether a step of the run may start now. When that cannot be found out, it may not. */
  verdictOf(runId: string): Verdict | Promise<Verdict>;
}

export function createFeedDirectory({ contexts, clock, logger }: FeedDirectoryDeps): FeedDirectory {
  const known = new LRUCache<string, FeedContext>({ max: maxFeeds });
  let verdicts = new Map<string, Verdict>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  /** Runs asked for since the last look: the next look is for them. */
  let asked = new Set<string>();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const runIds = [...asked];
    asked = new Set();
    const startedMs = clock.monotonicMs();
    try {
      const admissions = await contexts.admissions(runIds);
      verdicts = new Map(admissions.map(({ runId, verdict }) => [runId, verdict]));
      readAtMs = startedMs;
    } catch (error) {
      logger.warn({ err: error, runs: runIds.length }, 'could not read the states of runs');
    } finally {
      looking = undefined;
    }
  }

  async function lookUp(runId: string): Promise<Verdict> {
    // The look under way may have begun before this run was asked for.
    await looking;
    if (!isFresh() || !verdicts.has(runId)) await (looking ??= look());
    return isFresh() ? (verdicts.get(runId) ?? 'hold') : 'hold';
  }

  const isFresh = () => clock.monotonicMs() - readAtMs < maxAgeMs;

  return {
    learn: async (feedIds) => {
      const unknown = [...new Set(feedIds)].filter((feedId) => !known.has(feedId));
      if (unknown.length === 0) return;
      for (const context of await contexts.load(unknown)) known.set(context.feedId, context);
    },
    contextOf: (feedId) => known.get(feedId),
    verdictOf: (runId) => {
      asked.add(runId);
      return (isFresh() ? verdicts.get(runId) : undefined) ?? lookUp(runId);
    },
  };
}
