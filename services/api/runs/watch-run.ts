import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import type { RunReports, RunSnapshot } from './run-reports.port.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { runProgressView } from './progress-view.ts';
import { wakeInBatches } from '../frame/wake-in-batches.ts';
import { createWatchRates, type Rates } from './watch-rates.ts';

export interface WatchRunDeps {
  reports: Pick<RunReports, 'snapshots'>;
  catalogue: Pick<CatalogueReader, 'registered'>;
  clock: Clock;
  logger: Logger;
}

export interface RunWatch {
  /** Reads a run's progress once; undefined if the run does not exist. */
  look(runId: string): Promise<RunProgress | undefined>;
  /** Reads many runs by id, with the rates of unfinished runs. Missing runs are omitted. */
  lookAll(runIds: readonly string[]): Promise<Map<string, RunProgress>>;
  /**
   * Yields each change since `from`. Ends when the run has ended (after its last progress), the signal aborts, or the
   * watch is stopped. A slow reader skips intermediate states, but never the newest. Yields `quiet` if nothing has
   * changed for some time.
   */
  follow(runId: string, from: RunProgress, signal: AbortSignal): AsyncGenerator<RunProgress | 'quiet', void>;
  /**
   * Yields changes of several runs by id, at most twice a second, until all have ended. Yields an empty list if nothing
   * has changed for `quietAfterMs`.
   */
  followAll(
    from: ReadonlyMap<string, RunProgress>,
    quietAfterMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RunProgress[], void>;
  /** Ends all current and future watches. */
  stop(): void;
}

/**
 * Milliseconds between two reads. With two reads a second, the display is at most a second old, including the transfer.
 */
const lookEveryMs = 500;

const runsAtOnce = 100;

/**
 * Milliseconds after which a stream without changes sends a heartbeat. Proxies close idle connections, often after a
 * minute.
 */
const usualQuietMs = 15_000;

const maxRunsRemembered = 1000;

const noRates: Rates = { oneMinute: 0, tenMinutes: 0, fed: 0, through: 0, isStill: true };

interface Watched {
  newest: RunProgress;
  watchers: Set<() => void>;
}

/** Creates the watch, in which all watched runs share one poller. The poller stops when the last reader leaves. */
export function createRunWatch({ reports, catalogue, clock, logger }: WatchRunDeps): RunWatch {
  const rates = createWatchRates({ maxRuns: maxRunsRemembered });
  const watched = new Map<string, Watched>();
  const stopping = new AbortController();
  let polling: AbortController | undefined;

  const timeoutOf = (action: string) => catalogue.registered()[action]?.timeoutMs ?? null;

  const observed = (snapshot: RunSnapshot) => runProgressView(snapshot, rates.observe(snapshot), timeoutOf);

  /**
   * Returns the progress of a run in a list. Rates are kept only for unfinished runs: a page of old runs would
   * otherwise displace them.
   */
  const listed = (snapshot: RunSnapshot) =>
    snapshot.endedAt ? runProgressView(snapshot, noRates) : observed(snapshot);

  async function lookAt(runIds: readonly string[], view: (snapshot: RunSnapshot) => RunProgress) {
    const found = new Map<string, RunProgress>();
    for (let from = 0; from < runIds.length; from += runsAtOnce) {
      const snapshots = await reports.snapshots(runIds.slice(from, from + runsAtOnce));
      for (const snapshot of snapshots) found.set(snapshot.runId, view(snapshot));
    }
    return found;
  }

  async function poll(signal: AbortSignal): Promise<void> {
    const isUnwatched = () => signal.aborted;
    while (!isUnwatched()) {
      await clock.sleep(lookEveryMs, signal);
      if (isUnwatched()) return;
      const open = [...watched].filter(([, { newest }]) => !isTerminal(newest.state)).map(([runId]) => runId);
      try {
        notifyWatchers(await lookAt(open, observed));
      } catch (error) {
        logger.warn({ err: error, runs: open.length }, 'could not read watched runs, retrying');
      }
    }
  }

  /** Wakes each reader once, whatever the number of its changed runs. */
  function notifyWatchers(seen: ReadonlyMap<string, RunProgress>): void {
    const woken = new Set<() => void>();
    for (const [runId, progress] of seen) {
      const run = watched.get(runId);
      if (!run || isUnchanged(progress, run.newest)) continue;
      run.newest = progress;
      for (const wake of run.watchers) woken.add(wake);
    }
    wakeInBatches([...woken]);
  }

  function join(from: ReadonlyMap<string, RunProgress>, wake: () => void): () => void {
    for (const [runId, newest] of from) {
      const run = watched.get(runId) ?? { newest, watchers: new Set() };
      watched.set(runId, run);
      run.watchers.add(wake);
    }
    if (!polling && watched.size > 0) {
      polling = new AbortController();
      void poll(polling.signal);
    }
    return () => leave(from.keys(), wake);
  }

  function leave(runIds: Iterable<string>, wake: () => void): void {
    for (const runId of runIds) {
      const run = watched.get(runId);
      run?.watchers.delete(wake);
      if (run?.watchers.size === 0) watched.delete(runId);
    }
    if (watched.size > 0) return;
    polling?.abort();
    polling = undefined;
  }

  async function* followAll(from: ReadonlyMap<string, RunProgress>, quietAfterMs: number, signal: AbortSignal) {
    const ended = AbortSignal.any([signal, stopping.signal]);
    const isOver = () => ended.aborted;
    const reported = new Map(from);
    // A read for another reader may be slightly older than the first progress of this reader.
    const news = () =>
      [...reported].flatMap(([runId, { asOf }]) => {
        const newest = watched.get(runId)?.newest;
        return newest && newest.asOf > asOf ? [[runId, newest] as const] : [];
      });
    let changed = new AbortController();
    const leaveAll = join(from, () => changed.abort());
    try {
      while (!isOver() && [...reported.values()].some(({ state }) => !isTerminal(state))) {
        if (news().length === 0) await clock.sleep(quietAfterMs, AbortSignal.any([changed.signal, ended]));
        if (isOver()) return;
        changed = new AbortController();
        const fresh = news();
        for (const [runId, progress] of fresh) reported.set(runId, progress);
        yield fresh.map(([, progress]) => progress);
      }
    } finally {
      leaveAll();
    }
  }

  return {
    look: async (runId) => (await lookAt([runId], observed)).get(runId),
    lookAll: (runIds) => lookAt(runIds, listed),
    followAll,
    follow: async function* (runId, from, signal) {
      for await (const [newest] of followAll(new Map([[runId, from]]), usualQuietMs, signal)) yield newest ?? 'quiet';
    },
    stop: () => stopping.abort(),
  };
}

/** Returns true if two progresses are equal except for the time of their snapshots. */
function isUnchanged(a: RunProgress, b: RunProgress): boolean {
  return JSON.stringify({ ...a, asOf: '' }) === JSON.stringify({ ...b, asOf: '' });
}
