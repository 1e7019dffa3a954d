import type { Clock } from '../../../shared/ports/clock.ts';
import { readyBySteps } from '../standing/chain-load.ts';
import type { OutboxSweep } from '../ports/outbox-sweep.ts';
import { alternately } from './alternately.ts';
import { createDueTurns, readDueWithinMs } from './due-turns.ts';
import { createListingTimes, usualTransactionMs } from './listing-times.ts';
import type { ListedRun, RunStore, RunTally } from '../ports/run-store.ts';

/**
 * Time in milliseconds after which an unchanged run counts as idle. For a run with ready work, the time is longer
 * (`stayedWithForMs`), because its references may have been lost.
 */
const movesForMs = 5000;
const stayedWithForMs = 60_000;
/**
 * Maximum number of feeds that one scan reads, by the reason for reading their runs. For each reason, the least
 * recently read runs come first. The cost of `due` and `moves` grows with the work to do. The cost of the other reasons
 * is bounded, however many runs there are.
 */
const feedsPerRead = { due: 1000, moves: 2000, new: 100, 'may be lost': 200, unseen: 200, stands: 100 };

type Why = keyof typeof feedsPerRead;

interface KnownRun {
  /** Time at which the state of the run last changed, as the last listing returned it. */
  since: string;
  feeds: number;
  feedIds: readonly string[];
  /** Figures of the feeds as JSON, to detect changes; null if the run was never read. */
  figures: string | null;
  /** Time until which a new run counts as moving. Its figures cannot show a change before they were read twice. */
  newUntilMs: number;
  movesUntilMs: number;
  watchedUntilMs: number;
  dueAtMs: number;
}

/**
 * Selects the runs that each scan reads: runs that move, runs with due batches, and a few others in turn. The cost of a
 * scan grows neither with the number of idle runs, nor with the number of runs that began recently.
 */
export interface KnownRuns {
  read(): Promise<RunTally[]>;
  /** Records that an agenda entry of one of the run's feeds is due in `ms` milliseconds. */
  isDueIn(runId: string, ms: number): void;
  ids(): ReadonlySet<string>;
}

export interface KnownRunsDeps {
  runStore: Pick<RunStore, 'tallies' | 'listRuns'>;
  outboxSweep: Pick<OutboxSweep, 'nextDue'>;
  /** Called with the feeds of a run that has ended or was paused, so that callers drop what they store about them. */
  onForgotten: (feedIds: readonly string[]) => void;
  clock: Clock;
}

export function createKnownRuns({ runStore, outboxSweep, onForgotten, clock }: KnownRunsDeps): KnownRuns {
  /** Known runs in the order of their last read or listing, oldest first. */
  const known = new Map<string, KnownRun>();
  const times = createListingTimes();
  const dueTurns = createDueTurns();

  async function list(nowMs: number): Promise<void> {
    const listing = times.next(nowMs);
    const { runs, until } = await runStore.listRuns(listing.since, listing.reachMs);
    times.listed(listing, until, nowMs);
    // The first listing, and listings that reach further back than usual, also contain runs that are not new.
    const isNew = listing.since !== null && listing.reachMs === usualTransactionMs;
    for (const listed of runs) note(listed, isNew ? nowMs + movesForMs : 0, nowMs);
  }

  async function readDues(nowMs: number): Promise<void> {
    const runOf = new Map<string, string>();
    const standing = () =>
      new Map([...known].filter(([, run]) => whyOf(run, nowMs) === 'stands').map(([id, { feedIds }]) => [id, feedIds]));
    for (const runId of dueTurns.next(standing, nowMs))
      for (const feedId of known.get(runId)?.feedIds ?? []) runOf.set(feedId, runId);
    if (runOf.size === 0) return;
    for (const [feedId, inMs] of await outboxSweep.nextDue([...runOf.keys()], readDueWithinMs)) {
      const runId = runOf.get(feedId);
      if (runId !== undefined) isDueIn(runId, inMs);
    }
  }

  function isDueIn(runId: string, ms: number): void {
    const run = known.get(runId);
    if (run) run.dueAtMs = Math.min(run.dueAtMs, clock.monotonicMs() + ms);
  }

  function note({ runId, since, feeds, dueInMs }: ListedRun, newUntilMs: number, nowMs: number): void {
    const run = known.get(runId);
    const dueAtMs = dueInMs === null ? Infinity : nowMs + dueInMs;
    if (run) {
      // A changed state means that the run was resumed or is being cancelled, so it has to be read now.
      run.dueAtMs = run.since === since ? Math.min(run.dueAtMs, dueAtMs) : nowMs;
      run.since = since;
      return;
    }
    const never = { feedIds: [], figures: null, movesUntilMs: 0, watchedUntilMs: 0 };
    known.set(runId, { since, feeds, newUntilMs, ...never, dueAtMs });
  }

  function toAsk(nowMs: number): Set<string> {
    const requested = new Set<string>();
    const left = { ...feedsPerRead };
    const ask = (runId: string, run: KnownRun, why: Why): void => {
      if (left[why] <= 0) return;
      left[why] -= run.feeds;
      requested.add(runId);
    };
    const unseen: [string, KnownRun][] = [];
    for (const [runId, run] of known) {
      const why = whyOf(run, nowMs);
      if (why === 'unseen') unseen.push([runId, run]);
      else ask(runId, run, why);
    }
    // Runs that were never read are taken from both ends in turn, so that a new run does not wait behind many others.
    for (const [runId, run] of alternately(unseen)) ask(runId, run, 'unseen');
    return requested;
  }

  function see(tally: RunTally, nowMs: number): void {
    const { runId, feeds } = tally;
    const before = known.get(runId);
    if (!before) return;
    const figures = JSON.stringify(feeds);
    const hasReady = hasReadyWork(tally);
    const isFirst = before.figures === null;
    const hasChanged = before.figures !== figures;
    const newUntilMs = isFirst && (hasReady || !isFed(tally)) ? nowMs + movesForMs : before.newUntilMs;
    const movesUntilMs = hasChanged && !isFirst ? nowMs + movesForMs : before.movesUntilMs;
    const watchedUntilMs = hasChanged && hasReady ? nowMs + stayedWithForMs : before.watchedUntilMs;
    const feedIds = feeds.map(({ feedId }) => feedId);
    known.delete(runId);
    known.set(runId, {
      ...before,
      feeds: feedIds.length,
      feedIds,
      figures,
      newUntilMs,
      movesUntilMs,
      watchedUntilMs,
      dueAtMs: Infinity,
    });
  }

  function forget(runId: string): void {
    onForgotten(known.get(runId)?.feedIds ?? []);
    known.delete(runId);
  }

  return {
    read: async () => {
      const nowMs = clock.monotonicMs();
      await list(nowMs);
      await readDues(nowMs);
      const requested = toAsk(nowMs);
      const tallies = await runStore.tallies([...requested]);
      for (const tally of tallies) {
        see(tally, nowMs);
        requested.delete(tally.runId);
      }
      for (const runId of requested) forget(runId);
      return tallies;
    },
    isDueIn,
    ids: () => new Set(known.keys()),
  };
}

function whyOf({ figures, dueAtMs, newUntilMs, movesUntilMs, watchedUntilMs }: KnownRun, nowMs: number): Why {
  if (dueAtMs <= nowMs) return 'due';
  if (figures === null) return 'unseen';
  if (movesUntilMs > nowMs) return 'moves';
  if (newUntilMs > nowMs) return 'new';
  return watchedUntilMs > nowMs ? 'may be lost' : 'stands';
}

/**
 * Returns true if the run has batches on a topic or with a worker. These are the batches that are fed, do not wait, and
 * are not through the chain.
 */
function hasReadyWork({ feeds }: RunTally): boolean {
  return feeds.some(({ fedBatches, fromStep, flow }) =>
    readyBySteps({ fedBatches, fromStep, steps: flow }).some((ready) => ready > 0),
  );
}

function isFed({ feeds }: RunTally): boolean {
  return feeds.every(({ complete }) => complete);
}
