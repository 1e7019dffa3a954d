import { LRUCache } from 'lru-cache';
import type { Verdict } from '../../../shared/domain/run/admission.ts';
import { lastCallSentWithinMs } from '../../../shared/domain/run/run-control.ts';
import type { StepCheck } from '../../../shared/domain/step/checks.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { FeedAdmission, FeedContext, FeedContexts } from '../../../shared/ports/feed-contexts.ts';
import type { StepRef, UnitsPerUser } from '../../../shared/ports/step-ledger.ts';
import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createStepState, refreshStepState } from '../step/step-state.ts';
import type { StepRefusals, StepState } from '../step/work.ts';

const maxFeeds = 10_000;
/** Milliseconds between two reads for pauses, cancellations, holds and deadlines. */
const pollEveryMs = 500;
/**
 * Longest validity of a read in milliseconds. The remaining 100 ms of the published time cover the way from the check
 * to the call.
 */
const maxAdmissionAgeMs = lastCallSentWithinMs - 100;

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
  /** Loads those of the given feeds that are not known yet. Feeds that do not exist stay unknown. */
  learn(feedIds: Iterable<string>): Promise<void>;
  contextOf(feedId: string): FeedContext | undefined;
  /** Budget units per user by feed, one number for each step. Contains the known feeds with a budget. */
  readonly unitsPerUser: UnitsPerUser;
  actionTypeOf(step: StepRef): string | undefined;
  /** Returns the check of a step; null if it has none, or its feed is not known. */
  checkOf(step: FeedStep): StepCheck | null;
  standingOf(feedId: string, step: number): StepState;
  /** Returns whether a step of the feed may start now. If the database cannot be read, the verdict is `hold`. */
  admissionOf(feedId: string): Admission | Promise<Admission>;
  /**
   * Returns the feeds whose runs are paused, cancelled or past their deadline. Omits feeds whose run cannot be read.
   */
  stoppedOf(feedIds: readonly string[]): Promise<string[]>;
}

/** Admission with the monotonic time at which its read began, and the duration of the read in milliseconds. */
interface ReadAdmission extends Admission {
  readAtMs: number;
  tookMs: number;
}

interface KnownFeed {
  context: FeedContext;
  standings: Map<number, StepState>;
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
  const admissions = new Map<string, ReadAdmission>();
  /** Feeds requested since the last read: the next read covers them. */
  let requested = new Set<string>();
  let reading: Promise<void> | undefined;
  /** Monotonic time at which the last read failed. */
  let failedAtMs = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const feedIds = [...requested];
    requested = new Set();
    const readAtMs = clock.monotonicMs();
    try {
      const seen = await contexts.admissions(feedIds);
      const tookMs = clock.monotonicMs() - readAtMs;
      for (const [feedId, old] of admissions) if (ageMs(old) >= maxAdmissionAgeMs) admissions.delete(feedId);
      for (const feedId of feedIds) admissions.delete(feedId);
      for (const read of seen) admissions.set(read.feedId, { ...readAdmission(read, readAtMs), readAtMs, tookMs });
    } catch (error) {
      failedAtMs = clock.monotonicMs();
      logger.warn({ err: error, feeds: feedIds.length }, 'could not read whether feeds may be served');
    } finally {
      reading = undefined;
    }
  }

  function readAdmission({ feedId, verdict, deadlineInMs, holds }: FeedAdmission, startedMs: number): Admission {
    for (const standing of known.peek(feedId)?.standings.values() ?? []) refreshStepState(standing, holds, startedMs);
    return { verdict, deadlineAtMs: startedMs + deadlineInMs };
  }

  function refusalsOf(runId: string, step: number): StepRefusals {
    const key = `${runId}/${step}`;
    const counts = refusals.get(key) ?? { succeeded: 0, refused: 0, refusedSince: 0 };
    refusals.set(key, counts);
    return counts;
  }

  /**
   * Reads an admission. All callers that request a feed before the answer arrives share the read, if its result is
   * still valid then.
   */
  async function lookUp(feedId: string): Promise<Admission> {
    if (reading) {
      await reading;
      const seen = knownFor(feedId);
      if (seen) return seen;
    }
    // The read awaited above may have begun before this feed was requested, so another one may be needed.
    await (reading ??= read());
    return knownFor(feedId) ?? { verdict: 'hold', deadlineAtMs: Number.POSITIVE_INFINITY };
  }

  const ageMs = ({ readAtMs }: ReadAdmission) => clock.monotonicMs() - readAtMs;

  function knownFor(feedId: string): ReadAdmission | undefined {
    const known = admissions.get(feedId);
    return known && ageMs(known) < maxAdmissionAgeMs ? known : undefined;
  }

  /**
   * Returns the admission from the last read, if it is still valid. While reads are slow, it stays valid until the next
   * read may have ended; otherwise a slow database would let no call begin.
   */
  function goodOf(feedId: string): Admission | undefined {
    const known = knownFor(feedId);
    if (!known) return undefined;
    // After a read that failed, a valid admission is used until the next read is due. Otherwise reads that fail at once
    // would follow each other without a pause.
    if (clock.monotonicMs() - failedAtMs < pollEveryMs) return known;
    if (ageMs(known) >= pollEveryMs + 2 * known.tookMs) return undefined;
    if (ageMs(known) >= pollEveryMs) reading ??= read();
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
        feed?.standings.get(step) ?? createStepState(feedId, step, refusalsOf(feed?.context.runId ?? feedId, step));
      feed?.standings.set(step, standing);
      return standing;
    },
    admissionOf: (feedId) => {
      requested.add(feedId);
      // Returns a promise only if a read is needed: this runs before every call, and the answer is nearly always known.
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
