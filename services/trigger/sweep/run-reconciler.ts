import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { pauseAfter } from '../keep/pause-after.ts';
import type { Reconciliation } from './reconciliation.port.ts';
import type { RunStore } from '../keep/run-store.port.ts';
import type { TriggerFigures } from '../trigger-figures.ts';
import type { ThrottledWarn } from '../throttled-warn.ts';

/** Between two turns, or twenty times as long as the last one took. */
const lookEveryMs = 10_000;
/** Feeds are read one after the other until so much time has gone. */
const turnMs = 200;

export interface RunReconcilerDeps {
  runStore: Pick<RunStore, 'tallies'>;
  reconciliation: Reconciliation;
  isSweeper: () => boolean;
  figures: Pick<TriggerFigures, 'repaired'>;
  clock: Clock;
  warn: ThrottledWarn;
  logger: Logger;
}

/** Compares the feeds of runs that go on with their rows, in turn, and sets right what differs. */
export interface RunReconciler {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunReconciler(deps: RunReconcilerDeps): RunReconciler {
  const { runStore, reconciliation, isSweeper, figures, clock, warn, logger } = deps;
  /** Feeds that had their turn last. */
  let before = '';

  async function turn(): Promise<number> {
    if (!isSweeper()) return lookEveryMs;
    const tallies = await runStore.tallies();
    const feeds = tallies
      .flatMap(({ runId, chain, feeds: ofRun }) =>
        ofRun.map(({ feedId, country }) => ({ feedId, runId, country, chainLength: chain.length })),
      )
      .toSorted((a, b) => (a.feedId < b.feedId ? -1 : 1));
    const behind = feeds.filter(({ feedId }) => feedId > before);
    const inTurn = [...behind, ...feeds.slice(0, feeds.length - behind.length)];
    const startedMs = clock.monotonicMs();
    for (const { runId, country, ...feed } of inTurn) {
      before = feed.feedId;
      try {
        const repairs = await reconciliation.reconcile(feed);
        for (const { kind } of repairs) figures.repaired(kind);
        if (repairs.length > 0)
          logger.error({ runId, feedId: feed.feedId, country, repairs }, 'sums or agenda of a feed were repaired');
      } catch (error) {
        warn('could not reconcile a feed', String(error), { runId, feedId: feed.feedId });
      }
      if (clock.monotonicMs() - startedMs >= turnMs) break;
    }
    return pauseAfter(clock.monotonicMs() - startedMs, lookEveryMs);
  }

  return { turn };
}
