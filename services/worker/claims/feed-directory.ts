import { LRUCache } from 'lru-cache';
import type { Verdict } from '../../../shared/domain/run/admission.ts';
import { lastCallSentWithinMs } from '../../../shared/domain/run/run-control.ts';
import type { StepCheck } from '../../../shared/domain/step/checks.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { FeedAdmission, FeedContext, FeedContexts } from '../../../shared/ports/feed-contexts.ts';
import type { StepRef, UnitsPerUser } from '../../../shared/ports/step-ledger.ts';
import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createStanding, refreshStanding } from '../step/step-standing.ts';
import type { StepRefusals, StepStanding } from '../step/work.ts';

const maxFeeds = 10_000;
/** Milliseconds between two reads for pauses, cancellations, holds and deadlines. */
const lookEveryMs = 500;
/** Longest validity of a read in milliseconds: the rest of the published time covers the way from check to call. */
const longestGoodMs = lastCallSentWithinMs - 100;

export interface FeedDirectoryDeps {
  contexts: FeedContexts;
  clock: Clock;
  logger: Logger;
}

export interface Admission {
  verdict: Verdict;
  /** Monotonic time of the run's deadline. */
  deadlineAtMs: number;
}

/**
 * Directory of feeds and their runs on this worker: contexts, which never change, and admissions, which are read again
 * and again.
 */
export interface FeedDirectory {
  /** Loads the unknown ones of these feeds. Feeds that do not exist stay unknown. */
  learn(feedIds: Iterable<string>): Promise<void>;
  contextOf(feedId: string): FeedContext | undefined;
  /** Units by feed, for the known feeds with a budget. */
  readonly unitsPerUser: UnitsPerUser;
  actionTypeOf(step: StepRef): string | undefined;
  /** Returns the check of a step; null if it has none, or its feed is not known. */
  checkOf(step: FeedStep): StepCheck | null;
  standingOf(feedId: string, step: number): StepStanding;
  /** Returns whether a step of the feed may start now. If that cannot be read, it may not. */
  admissionOf(feedId: string): Admission | Promise<Admission>;
  /** Returns the feeds whose runs are paused, cancelled or past their deadline; none whose run cannot be read. */
  stoppedOf(feedIds: readonly string[]): Promise<string[]>;
}

interface KnownFeed {
  context: FeedContext;
  standings: Map<number, StepStanding>;
}

export function createFeedDirectory({ contexts, clock, logger }: FeedDirectoryDeps): FeedDirectory {
  const unitsPerUser = new Map<string, readonly number[]>();
  const known = new LRUCache<string, KnownFeed>({
    // Limited by size: `max` would allocate all entries when a worker starts.
    maxSize: maxFeeds,
    sizeCalculation: () => 1,
    dispose: (_, feedId) => unitsPerUser.delete(feedId),
  });
  const refusals = new LRUCache<string, StepRefusals>({ maxSize: maxFeeds, sizeCalculation: () => 1 });
  let admissions = new Map<string, Admission>();
  /** Begin of the last successful read, and its duration. */
  let readAtMs = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  /** Feeds requested since the last read: the next read covers them. */
  let requested = new Set<string>();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const feedIds = [...requested];
    requested = new Set();
    const startedMs = clock.monotonicMs();
    try {
      const seen = await contexts.admissions(feedIds);
      admissions = new Map(seen.map((admission) => [admission.feedId, readAdmission(admission, startedMs)]));
      readAtMs = startedMs;
      tookMs = clock.monotonicMs() - startedMs;
    } catch (error) {
      logger.warn({ err: error, feeds: feedIds.length }, 'could not read whether feeds may be served');
    } finally {
      looking = undefined;
    }
  }

  function readAdmission({ feedId, verdict, deadlineInMs, holds }: FeedAdmission, startedMs: number): Admission {
    for (const standing of known.peek(feedId)?.standings.values() ?? []) refreshStanding(standing, holds, startedMs);
    return { verdict, deadlineAtMs: startedMs + deadlineInMs };
  }

  function refusalsOf(runId: string, step: number): StepRefusals {
    const key = `${runId}/${step}`;
    const counts = refusals.get(key) ?? { succeeded: 0, refused: 0, refusedSince: 0 };
    refusals.set(key, counts);
    return counts;
  }

  /** Reads an admission. One read serves all who requested it before its answer, up to the published time. */
  async function lookUp(feedId: string): Promise<Admission> {
    if (looking) {
      await looking;
      const seen = knownFor(feedId, longestGoodMs);
      if (seen) return seen;
    }
    // The running read may have begun before this feed was requested.
    await (looking ??= look());
    return knownFor(feedId, longestGoodMs) ?? { verdict: 'hold', deadlineAtMs: Number.POSITIVE_INFINITY };
  }

  const ageMs = () => clock.monotonicMs() - readAtMs;

  const knownFor = (feedId: string, goodMs: number) => (ageMs() < goodMs ? admissions.get(feedId) : undefined);

  /**
   * Returns the valid admission between two reads. While reads are slow, the last one is valid until the next may have
   * come: otherwise a slow database would let no call begin.
   */
  function goodOf(feedId: string): Admission | undefined {
    const known = knownFor(feedId, Math.min(longestGoodMs, lookEveryMs + 2 * tookMs));
    if (known && ageMs() >= lookEveryMs) looking ??= look();
    return known;
  }

  return {
    learn: async (feedIds) => {
      const unknown = [...new Set(feedIds)].filter((feedId) => !known.has(feedId));
      if (unknown.length === 0) return;
      for (const context of await contexts.load(unknown)) {
        known.set(context.feedId, { context, standings: new Map() });
        if (context.unitsPerUser) unitsPerUser.set(context.feedId, context.unitsPerUser);
      }
    },
    unitsPerUser,
    contextOf: (feedId) => known.get(feedId)?.context,
    actionTypeOf: ({ feedId, step }) => known.get(feedId)?.context.chain[step - 1]?.action,
    checkOf: ({ feedId, step }) => known.get(feedId)?.context.chain[step - 1]?.check ?? null,
    standingOf: (feedId, step) => {
      const feed = known.get(feedId);
      const standing =
        feed?.standings.get(step) ?? createStanding(feedId, step, refusalsOf(feed?.context.runId ?? feedId, step));
      feed?.standings.set(step, standing);
      return standing;
    },
    admissionOf: (feedId) => {
      requested.add(feedId);
      // Not always a promise: this runs before every call, and the answer is nearly always known.
      return goodOf(feedId) ?? lookUp(feedId);
    },
    stoppedOf: async (feedIds) => {
      for (const feedId of feedIds) requested.add(feedId);
      const [unknown] = feedIds.filter((feedId) => !goodOf(feedId));
      if (unknown !== undefined) await lookUp(unknown);
      return feedIds.filter((feedId) => {
        const admission = goodOf(feedId);
        if (!admission) return false;
        return admission.verdict !== 'go' || admission.deadlineAtMs <= clock.monotonicMs();
      });
    },
  };
}
