import pLimit from 'p-limit';
import { backoffMs } from '../../../shared/domain/retry.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import type { RunToPrepare } from '../ports/run-store.ts';
import { endRun, prepareRun, type PrepareRunDeps } from './prepare-run.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';

/**
 * Maximum number of runs that are prepared at once. Repeated attempts use at most half of these places, so that hanging
 * runs do not block new ones.
 */
const maxAtOnce = 64;
const maxTriedBefore = 32;
/** Concurrent requests over all runs. */
const maxQuestions = 64;
const lookEveryMs = 500;
/**
 * Interval in milliseconds while notifications arrive and no run is being prepared. If a notification is lost, the run
 * waits for up to this time.
 */
const notifiedLookEveryMs = 2000;
const forgetAfterMs = 300_000;
const afterErrorMs = 1000;
/** Shortest interval, however often states of runs change. */
const minBetweenMs = 50;
const backoff = { firstDelayMs: 500, maxDelayMs: 30_000 };

export interface RunPreparerDeps extends Omit<PrepareRunDeps, 'requestLimit'> {
  onBegun: () => void;
  changes: ChangeFeed;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  warn: ThrottledWarn;
}

/** Failed tries of one run, in this process only: each trigger has its own. */
interface Tries {
  failures: number;
  nextAtMs: number;
  cause: string;
}

/** Prepares runs that were created, in one task per run. */
export type RunPreparer = Pick<Loop, 'start' | 'stop'>;

export function createRunPreparer(deps: RunPreparerDeps): RunPreparer {
  const { runStore, changes, clock, logger, warn } = deps;
  const requestLimit = pLimit(maxQuestions);
  const tasks = new Map<string, Promise<void>>();
  const tries = new Map<string, Tries>();
  let triedBefore = 0;

  /**
   * Starts tasks for runs, new runs first. Does not await them, because the slowest response of a segmentation service
   * would delay all runs.
   */
  async function turn(signal: AbortSignal): Promise<number> {
    forgetOld();
    for (const run of await runStore.toPrepare(maxAtOnce - tasks.size, [...tasks.keys(), ...tries.keys()]))
      startTask(run, signal);
    if (tasks.size + tries.size === 0) return changes.isConnected() ? notifiedLookEveryMs : lookEveryMs;
    const places = Math.min(maxAtOnce - tasks.size, maxTriedBefore - triedBefore);
    const resting = restingRuns();
    if (places <= 0 || resting.length === tries.size) return lookEveryMs;
    for (const run of await runStore.toPrepare(places, [...tasks.keys(), ...resting])) startTask(run, signal);
    return lookEveryMs;
  }

  function restingRuns(): string[] {
    const nowMs = clock.monotonicMs();
    return [...tries].flatMap(([runId, { nextAtMs }]) => (nextAtMs > nowMs ? [runId] : []));
  }

  /** Forgets runs that another trigger has begun or ended. */
  function forgetOld(): void {
    const oldMs = clock.monotonicMs() - forgetAfterMs;
    for (const [runId, { nextAtMs }] of tries) if (nextAtMs < oldMs) tries.delete(runId);
  }

  function startTask(run: RunToPrepare, signal: AbortSignal): void {
    const isRepeat = tries.has(run.runId);
    if (isRepeat) triedBefore++;
    const task = prepare(run, signal)
      .catch((error: unknown) => tryLater(run, String(error), 0))
      .finally(() => {
        tasks.delete(run.runId);
        if (isRepeat) triedBefore--;
      });
    tasks.set(run.runId, task);
  }

  async function prepare(run: RunToPrepare, signal: AbortSignal): Promise<void> {
    const before = tries.get(run.runId);
    if (run.deadlineInMs <= 0) {
      const reason = ['the deadline passed before the run could begin', before?.cause].filter(Boolean).join('; ');
      await endRun(run, 'expired', reason, { runStore, logger });
      tries.delete(run.runId);
      return;
    }
    const prepared = await prepareRun(run, { ...deps, requestLimit }, signal);
    if (prepared.kind === 'later') {
      tryLater(run, prepared.cause, prepared.retryAfterMs);
      await runStore.wait(run.runId, prepared.cause);
      return;
    }
    tries.delete(run.runId);
    if (prepared.kind === 'begun') deps.onBegun();
  }

  function tryLater({ runId, campaignId, deadlineInMs }: RunToPrepare, cause: string, retryAfterMs: number): void {
    const failures = (tries.get(runId)?.failures ?? 0) + 1;
    const wantedMs = Math.max(backoffMs(backoff, failures, deps.random()), retryAfterMs);
    // The wait must not exceed the deadline, because the run must be ended then.
    const waitMs = Math.min(wantedMs, Math.max(deadlineInMs, lookEveryMs));
    tries.set(runId, { failures, nextAtMs: clock.monotonicMs() + waitMs, cause });
    warn('cannot prepare a run yet', cause, { runId, campaignId, waitMs });
  }

  const loop = createLoop({ name: 'run-preparer', turn, afterErrorMs, minBetweenMs, clock, logger });
  changes.on('runs', () => loop.poke());

  return {
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      await Promise.all(tasks.values());
    },
  };
}
