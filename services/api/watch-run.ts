import type { RunProgress } from '../../shared/contracts/runs.ts';
import { isTerminal } from '../../shared/domain/run-states.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { RunReports, RunSnapshot } from './ports/run-reports.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { runProgressView } from './views/progress.ts';
import { createWatchRates, type Rates } from './watch-rates.ts';

export interface WatchRunDeps {
  reports: RunReports;
  clock: Clock;
  logger: Logger;
}

export interface RunWatch {
  /** One look; undefined when there is no such run. */
  look(runId: string): Promise<RunProgress | undefined>;
  /** One look at many, by id; those that are not there are left out. */
  lookAll(runIds: readonly string[]): Promise<Map<string, RunProgress>>;
  /**
   * What changed since `from`, each time it did, until the run has ended (its last progress included), the signal aborts or the watch is
   * stopped. A watcher that is slower than the run misses what lies between, never the newest. `quiet` says that nothing changed for a while.
   */
  follow(runId: string, from: RunProgress, signal: AbortSignal): AsyncGenerator<RunProgress | 'quiet', void>;
  /** Ends all watching, now and from now on. */
  stop(): void;
}

/** Two looks a second: what is shown is then at most one second old with room for the way. */
const lookEveryMs = 500;

/** Proxies close connections on which nothing was said for a while; a minute is a common limit. */
const quietAfterMs = 15_000;

const maxRunsRemembered = 1000;

const still: Rates = { oneMinute: 0, tenMinutes: 0, isStill: true };

/** One poller per watched run, however many watch it; it ends with its last watcher. */
interface Poller {
  newest: RunProgress;
  watchers: Set<() => void>;
  stopping: AbortController;
}

export function createRunWatch({ reports, clock, logger }: WatchRunDeps): RunWatch {
  const rates = createWatchRates({ maxRuns: maxRunsRemembered });
  const pollers = new Map<string, Poller>();
  const stopping = new AbortController();

  async function look(runId: string): Promise<RunProgress | undefined> {
    const snapshot = await reports.snapshot(runId);
    return snapshot && runProgressView(snapshot, rates.observe(snapshot));
  }

  async function lookAll(runIds: readonly string[]): Promise<Map<string, RunProgress>> {
    const snapshots = runIds.length === 0 ? [] : await reports.snapshots(runIds);
    return new Map(snapshots.map((snapshot) => [snapshot.runId, progressOf(snapshot)]));
  }

  /** Of what has ended, no rates are remembered: a page of old runs would drive those out that go on. */
  function progressOf(snapshot: RunSnapshot): RunProgress {
    return runProgressView(snapshot, snapshot.endedAt ? still : rates.observe(snapshot));
  }

  async function poll(runId: string, poller: Poller): Promise<void> {
    const { signal } = poller.stopping;
    const unwatched = () => signal.aborted;
    while (!isTerminal(poller.newest.state)) {
      await clock.sleep(lookEveryMs, signal);
      if (unwatched()) return;
      try {
        const progress = await look(runId);
        if (progress && !isUnchanged(progress, poller.newest)) {
          poller.newest = progress;
          for (const wake of poller.watchers) wake();
        }
      } catch (error) {
        logger.warn({ err: error, runId: poller.newest.runId }, 'could not look at a watched run, trying again');
      }
    }
  }

  function join(runId: string, newest: RunProgress, wake: () => void): Poller {
    let poller = pollers.get(runId);
    if (!poller) {
      poller = { newest, watchers: new Set(), stopping: new AbortController() };
      pollers.set(runId, poller);
      void poll(runId, poller);
    }
    poller.watchers.add(wake);
    return poller;
  }

  function leave(runId: string, poller: Poller, wake: () => void): void {
    poller.watchers.delete(wake);
    if (poller.watchers.size > 0) return;
    poller.stopping.abort();
    pollers.delete(runId);
  }

  async function* follow(runId: string, from: RunProgress, signal: AbortSignal) {
    const ended = AbortSignal.any([signal, stopping.signal]);
    const isOver = () => ended.aborted;
    let changed = new AbortController();
    const wake = () => changed.abort();
    const poller = join(runId, from, wake);
    let told = from;
    try {
      while (!isOver() && !isTerminal(told.state)) {
        if (poller.newest.asOf <= told.asOf) await clock.sleep(quietAfterMs, AbortSignal.any([changed.signal, ended]));
        if (isOver()) return;
        changed = new AbortController();
        // Another watcher's poller may be a moment older than this one's own first look.
        if (poller.newest.asOf > told.asOf) yield (told = poller.newest);
        else yield 'quiet' as const;
      }
    } finally {
      leave(runId, poller, wake);
    }
  }

  return { look, lookAll, follow, stop: () => stopping.abort() };
}

/** Apart from when it was said. */
function isUnchanged(a: RunProgress, b: RunProgress): boolean {
  return JSON.stringify({ ...a, asOf: '' }) === JSON.stringify({ ...b, asOf: '' });
}
