import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { Reconciliation } from '../ports/reconciliation.ts';
import type { PassFollower } from './run-keeper.ts';
import type { RunTally } from '../ports/run-store.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';

/**
 * Minimum pause in milliseconds between two turns. If twenty times the duration of the last turn is longer, the pause
 * is that long.
 */
const pollEveryMs = 10_000;
/** Time in milliseconds from which a turn begins no further feed. */
const turnMs = 200;
/**
 * Time in milliseconds until an unchanged feed is reconciled. The time doubles after each reconciliation, up to an
 * hour.
 */
const standsAfterMs = 20_000;
const maxGapMs = 3_600_000;

export interface RunReconcilerDeps {
  reconciliation: Reconciliation;
  isSweeper: () => boolean;
  figures: Pick<TriggerFigures, 'repaired'>;
  clock: Clock;
  warn: ThrottledWarn;
  logger: Logger;
}

interface Standing {
  feed: TalliedFeed;
  gapMs: number;
  doubtedFromMs: number;
}

/**
 * Loop that compares the sums and the agenda of feeds with their rows, and repairs differences. It reads whole feeds,
 * but only feeds of open runs whose figures do not change. This suffices, because damage always stops a feed, or
 * prevents the end of its run.
 */
export interface RunReconciler extends PassFollower {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunReconciler(deps: RunReconcilerDeps): RunReconciler {
  const { reconciliation, isSweeper, figures, clock, warn, logger } = deps;
  const standings = new Map<string, Standing>();

  async function turn(): Promise<number> {
    if (!isSweeper()) {
      // Another trigger is the sweeper now. Runs may end without a call of `forget`, so the stored state would never be
      // removed.
      standings.clear();
      return pollEveryMs;
    }
    const startedMs = clock.monotonicMs();
    for (const standing of dueForReconciliation(startedMs)) {
      standing.gapMs = Math.min(maxGapMs, 2 * standing.gapMs);
      standing.doubtedFromMs = startedMs + standing.gapMs;
      await reconcile(standing.feed);
      if (clock.monotonicMs() - startedMs >= turnMs) break;
    }
    return pauseAfter(clock.monotonicMs() - startedMs, pollEveryMs);
  }

  /** Returns the feeds to reconcile now. The feed that has been overdue for longest comes first. */
  function dueForReconciliation(nowMs: number): Standing[] {
    return [...standings.values()]
      .filter(({ doubtedFromMs }) => doubtedFromMs <= nowMs)
      .toSorted((a, b) => a.doubtedFromMs - b.doubtedFromMs);
  }

  function see(tallies: readonly RunTally[]): void {
    const nowMs = clock.monotonicMs();
    for (const feed of feedsOf(tallies)) {
      if (standings.get(feed.feedId)?.feed.sums === feed.sums) continue;
      standings.set(feed.feedId, { feed, gapMs: standsAfterMs, doubtedFromMs: nowMs + standsAfterMs });
    }
  }

  async function reconcile({ runId, feedId, country, chainLength }: TalliedFeed): Promise<void> {
    try {
      const repairs = await reconciliation.reconcile({ feedId, chainLength });
      for (const { kind } of repairs) figures.repaired(kind);
      if (repairs.length > 0)
        logger.error({ runId, feedId, country, repairs }, 'sums or agenda of a feed were repaired');
    } catch (error) {
      warn('could not reconcile a feed', String(error), { runId, feedId });
    }
  }

  return {
    turn,
    see,
    forget: (feedIds) => {
      for (const feedId of feedIds) standings.delete(feedId);
    },
  };
}

interface TalliedFeed {
  runId: string;
  feedId: string;
  country: string;
  chainLength: number;
  /** Sums of the feed as JSON, to detect changes. */
  sums: string;
}

function feedsOf(tallies: readonly RunTally[]): TalliedFeed[] {
  return tallies.flatMap(({ runId, chain, feeds }) =>
    feeds.map(({ feedId, country, fedUsers, fedBatches, totals, flow }) => {
      const sums = JSON.stringify([fedUsers, fedBatches, totals, flow]);
      return { runId, feedId, country, chainLength: chain.length, sums };
    }),
  );
}
