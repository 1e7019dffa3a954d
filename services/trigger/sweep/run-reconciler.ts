import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { pauseAfter } from '../keep/pause-after.ts';
import type { Reconciliation } from './reconciliation.port.ts';
import type { RunStore, RunTally } from '../keep/run-store.port.ts';
import type { TriggerFigures } from '../trigger-figures.ts';
import type { ThrottledWarn } from '../throttled-warn.ts';

/** Between two turns, or twenty times as long as the last one took. */
const lookEveryMs = 10_000;
/** Feeds are read one after the other until so much time has gone. */
const turnMs = 200;
/** A feed whose sums have not changed for so long is doubted, and again after twice as long, up to an hour. */
const standsAfterMs = 20_000;
const maxGapMs = 3_600_000;

export interface RunReconcilerDeps {
  runStore: Pick<RunStore, 'tallies'>;
  reconciliation: Reconciliation;
  isSweeper: () => boolean;
  figures: Pick<TriggerFigures, 'repaired'>;
  clock: Clock;
  warn: ThrottledWarn;
  logger: Logger;
}

/** What was seen of a feed when its sums changed last. */
interface Standing {
  sums: string;
  gapMs: number;
  doubtedFromMs: number;
}

/**
 * Compares feeds of runs that go on with their rows, and sets right what differs. That reads whole feeds, so it is done
 * where it may be needed: damage, wherever it is, keeps a feed from moving at last, or its run from ending.
 */
export interface RunReconciler {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunReconciler(deps: RunReconcilerDeps): RunReconciler {
  const { runStore, reconciliation, isSweeper, figures, clock, warn, logger } = deps;
  const standings = new Map<string, Standing>();

  async function turn(): Promise<number> {
    if (!isSweeper()) return lookEveryMs;
    const feeds = feedsOf(await runStore.tallies());
    const startedMs = clock.monotonicMs();
    for (const { feed, standing } of doubtedOf(feeds, startedMs)) {
      standing.gapMs = Math.min(maxGapMs, 2 * standing.gapMs);
      standing.doubtedFromMs = startedMs + standing.gapMs;
      await reconcile(feed);
      if (clock.monotonicMs() - startedMs >= turnMs) break;
    }
    return pauseAfter(clock.monotonicMs() - startedMs, lookEveryMs);
  }

  /** The longest doubted first. */
  function doubtedOf(feeds: readonly TalliedFeed[], nowMs: number) {
    const open = new Set(feeds.map(({ feedId }) => feedId));
    for (const feedId of standings.keys()) if (!open.has(feedId)) standings.delete(feedId);
    return feeds
      .flatMap((feed) => {
        const standing = standings.get(feed.feedId);
        if (standing?.sums === feed.sums) return standing.doubtedFromMs <= nowMs ? [{ feed, standing }] : [];
        const { feedId, sums } = feed;
        standings.set(feedId, { sums, gapMs: standsAfterMs, doubtedFromMs: nowMs + standsAfterMs });
        return [];
      })
      .toSorted((a, b) => a.standing.doubtedFromMs - b.standing.doubtedFromMs);
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

  return { turn };
}

interface TalliedFeed {
  runId: string;
  feedId: string;
  country: string;
  chainLength: number;
  /** As text, to be compared. */
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
