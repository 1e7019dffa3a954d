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
  isKeeper: () => boolean;
  /** How long after the deadline a feeder may still be writing: it stops by its own clock, or loses its lease. */
  feedLeaseMs: number;
  clock: Clock;
  logger: Logger;
}

/** Ends the runs that have nothing left to do, and keeps progress figures of the others. What comes back is a loop's turn. */
export function createKeepRuns({
  runStore,
  isKeeper,
  feedLeaseMs,
  clock,
  logger,
}: KeepRunsDeps): () => Promise<number> {
  /** When runs that are not fully fed were first seen past their deadline. */
  let overdueSince = new Map<string, number>();
  /** Runs whose sums do not agree, which has been said. */
  let disputed = new Set<string>();
  const observedAt = new Map<string, { atMs: number; pauseMs: number }>();

  function mayStillBeFed({ run, deadlinePassed, feeds }: RunTally): boolean {
    if (!deadlinePassed || feeds.every((feed) => feed.complete)) return false;
    const since = overdueSince.get(run) ?? clock.monotonicMs();
    overdueSince.set(run, since);
    return clock.monotonicMs() - since < feedLeaseMs;
  }

  async function keep(tally: RunTally): Promise<void> {
    const { run, campaign } = tally;
    const ending = mayStillBeFed(tally) ? null : endingOf(tally);
    if (ending === null) {
      if (!linesOf(tally).every(isBalanced)) dispute(tally, ['more users ended than were fed']);
      await observe(run);
      return;
    }
    const differing = differences(tally, await runStore.recount(run));
    if (differing.length > 0) {
      dispute(tally, differing);
      return;
    }
    if (await runStore.finish(run, ending.state, ending.reason)) logger.info({ run, campaign, ...ending }, 'run ended');
  }

  function dispute({ run, campaign }: RunTally, differing: readonly string[]): void {
    if (!disputed.has(run)) logger.error({ run, campaign, differing }, 'sums of a run do not agree, it cannot end');
    disputed.add(run);
  }

  /** Reads every step row of the run, which takes long for a large one. */
  async function observe(run: string): Promise<void> {
    const before = observedAt.get(run);
    const startedMs = clock.monotonicMs();
    if (before && startedMs - before.atMs < before.pauseMs) return;
    await runStore.observe(run);
    const endedMs = clock.monotonicMs();
    observedAt.set(run, { atMs: endedMs, pauseMs: pauseAfter(endedMs - startedMs, lookEveryMs) });
  }

  function forgetOthers(tallies: readonly RunTally[]): void {
    const running = new Set(tallies.map(({ run }) => run));
    overdueSince = new Map([...overdueSince].filter(([run]) => running.has(run)));
    disputed = disputed.intersection(running);
    for (const run of observedAt.keys()) if (!running.has(run)) observedAt.delete(run);
  }

  return async () => {
    if (!isKeeper()) return lookEveryMs;
    const startedMs = clock.monotonicMs();
    const tallies = await runStore.tallies();
    const tookMs = clock.monotonicMs() - startedMs;
    forgetOthers(tallies);
    for (const tally of tallies) {
      // One run that cannot be kept must not hold up the others.
      await keep(tally).catch((error: unknown) => {
        logger.warn({ err: error, run: tally.run }, 'could not look after a run, trying again');
      });
    }
    return pauseAfter(tookMs, lookEveryMs);
  };
}
