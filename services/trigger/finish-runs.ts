import { isBalanced } from '../../shared/domain/outcomes.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { RunStore, RunTally } from './ports/run-store.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { pauseAfter } from './pause-after.ts';
import { differences, endingOf, linesOf } from './run-ending.ts';

const lookEveryMs = 1000;

export interface KeepRunsDeps {
  runStore: RunStore;
  /** Whether this trigger is the one that keeps runs. */
  isSweeper: () => boolean;
  /** How long after the deadline a feeder may still be writing: it stops by its own clock, or loses its lease. */
  feedLeaseMs: number;
  clock: Clock;
  logger: Logger;
}

/** Ends the runs that have nothing left to do, and keeps progress figures of the others. What comes back is a loop's turn. */
export function createFinishRuns({
  runStore,
  isSweeper,
  feedLeaseMs,
  clock,
  logger,
}: KeepRunsDeps): () => Promise<number> {
  /** When runs that are not fully fed were first seen past their deadline. */
  let overdueSince = new Map<string, number>();
  /** Runs whose sums do not agree, which has been said. */
  let unbalanced = new Set<string>();
  const observedAt = new Map<string, { atMs: number; pauseMs: number }>();

  function mayStillBeFed({ runId, deadlinePassed, feeds }: RunTally): boolean {
    if (!deadlinePassed || feeds.every((feed) => feed.complete)) return false;
    const since = overdueSince.get(runId) ?? clock.monotonicMs();
    overdueSince.set(runId, since);
    return clock.monotonicMs() - since < feedLeaseMs;
  }

  async function keep(tally: RunTally): Promise<void> {
    const { runId, campaignId } = tally;
    const ending = mayStillBeFed(tally) ? null : endingOf(tally);
    if (ending === null) {
      if (!linesOf(tally).every(isBalanced)) dispute(tally, ['more users ended than were fed']);
      await observe(runId);
      return;
    }
    const differing = differences(tally, await runStore.recount(runId));
    if (differing.length > 0) {
      dispute(tally, differing);
      return;
    }
    if (await runStore.finish(runId, ending.state, ending.reason))
      logger.info({ runId, campaignId, ...ending }, 'run ended');
  }

  function dispute({ runId, campaignId }: RunTally, differing: readonly string[]): void {
    if (!unbalanced.has(runId))
      logger.error({ runId, campaignId, differing }, 'sums of a run do not agree, it cannot end');
    unbalanced.add(runId);
  }

  /** Reads every step row of the run, which takes long for a large one. */
  async function observe(runId: string): Promise<void> {
    const before = observedAt.get(runId);
    const startedMs = clock.monotonicMs();
    if (before && startedMs - before.atMs < before.pauseMs) return;
    await runStore.observe(runId);
    const endedMs = clock.monotonicMs();
    observedAt.set(runId, { atMs: endedMs, pauseMs: pauseAfter(endedMs - startedMs, lookEveryMs) });
  }

  function forgetOthers(tallies: readonly RunTally[]): void {
    const running = new Set(tallies.map(({ runId }) => runId));
    overdueSince = new Map([...overdueSince].filter(([runId]) => running.has(runId)));
    unbalanced = unbalanced.intersection(running);
    for (const runId of observedAt.keys()) if (!running.has(runId)) observedAt.delete(runId);
  }

  return async () => {
    if (!isSweeper()) return lookEveryMs;
    const startedMs = clock.monotonicMs();
    const tallies = await runStore.tallies();
    const tookMs = clock.monotonicMs() - startedMs;
    forgetOthers(tallies);
    for (const tally of tallies) {
      // One run that cannot be kept must not hold up the others.
      await keep(tally).catch((error: unknown) => {
        logger.warn({ err: error, runId: tally.runId }, 'could not look after a run, trying again');
      });
    }
    return pauseAfter(tookMs, lookEveryMs);
  };
}
