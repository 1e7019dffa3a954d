import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import type { RunReports, RunSnapshot } from './run-reports.port.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { runProgressView } from './progress-view.ts';
import { wakeInTurns } from '../frame/wake-in-turns.ts';
import { createWatchRates, type Rates } from './watch-rates.ts';

export interface WatchRunDeps {
  reports: Pick<RunReports, 'snapshots'>;
  catalogue: Pick<CatalogueReader, 'registered'>;
  clock: Clock;
  logger: Logger;
}

export interface RunWatch {
  /** One look; undefined when there is no such run. */
  look(runId: string): Promise<RunProgress | undefined>;
  /** One look at many, by id, with the rates of those that go on; those that are not there are left out. */
  lookAll(runIds: readonly string[]): Promise<Map<string, RunProgress>>;
  /**
   * What changed since `from`, each time it did, until the run has ended (its last progress included), the signal
   * aborts or the watch is stopped. A watcher that is slower than the run misses what lies between, never the newest.
   * `quiet` says that nothing changed for a while.
   */
  follow(runId: string, from: RunProgress, signal: AbortSignal): AsyncGenerator<RunProgress | 'quiet', void>;
  /**
   * The same of several at once, by their ids: those that changed, twice a second at most; an empty list says that
   * nothing changed for so long. Until all of them have ended.
   */
  followAll(
    from: ReadonlyMap<string, RunProgress>,
    quietAfterMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RunProgress[], void>;
  /** Ends all watching, now and from now on. */
  stop(): void;
}

/** Two looks a second: what is shown is then at most one second old with room for the way. */
const lookEveryMs = 500;

/** Runs in one statement. */
const runsAtOnce = 100;

/** Proxies close connections on which nothing was said for a while; a minute is a common limit. */
const usualQuietMs = 15_000;

const maxRunsRemembered = 1000;

const noRates: Rates = { oneMinute: 0, tenMinutes: 0, fed: 0, through: 0, isStill: true };

/** A run that is watched, by however many streams. */
interface Watched {
  newest: RunProgress;
  watchers: Set<() => void>;
}

/** One poller for all runs that are watched; it ends with the last watcher. */
export function createRunWatch({ reports, catalogue, clock, logger }: WatchRunDeps): RunWatch {
  const rates = createWatchRates({ maxRuns: maxRunsRemembered });
  const watched = new Map<string, Watched>();
  const stopping = new AbortController();
  let polling: AbortController | undefined;

  const timeoutOf = (action: string) => catalogue.registered()[action]?.timeoutMs ?? null;

  const observed = (snapshot: RunSnapshot) => runProgressView(snapshot, rates.observe(snapshot), timeoutOf);

  /** Of what has ended, no rates are remembered: a page of old runs would drive those out that go on. */
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
        tell(await lookAt(open, observed));
      } catch (error) {
        logger.warn({ err: error, runs: open.length }, 'could not look at watched runs, trying again');
      }
    }
  }

  /** Each watcher once, however many of its runs changed. */
  function tell(seen: ReadonlyMap<string, RunProgress>): void {
    const woken = new Set<() => void>();
    for (const [runId, progress] of seen) {
      const run = watched.get(runId);
      if (!run || isUnchanged(progress, run.newest)) continue;
      run.newest = progress;
      for (const wake of run.watchers) woken.add(wake);
    }
    wakeInTurns([...woken]);
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
    // Another watcher's look may be a moment older than this one's own first.
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

/** Apart from when it was said. */
function isUnchanged(a: RunProgress, b: RunProgress): boolean {
  return JSON.stringify({ ...a, asOf: '' }) === JSON.stringify({ ...b, asOf: '' });
}
