import type { Clock } from '../../../shared/ports/clock.ts';
import { readyBySteps } from '../standing/chain-load.ts';
import type { OutboxSweep } from '../ports/outbox-sweep.ts';
import { alternately } from './alternately.ts';
import { createDueTurns, readDueWithinMs } from './due-turns.ts';
import { createListingTimes, usualTransactionMs } from './listing-times.ts';
import type { ListedRun, RunStore, RunTally } from '../ports/run-store.ts';

/** Totals that have not changed for so long stand still; with ready work they are stayed with for longer. */
const movesForMs = 5000;
const stayedWithForMs = 60_000;
/**
 * Feeds that one look is at, by why it is at their runs: of each kind those that were looked at longest ago, until so
 * many are reached. What moves or is due costs what there is to do; the others cost the same, however many there are.
 */
const feedsPerLook = { due: 1000, moves: 2000, new: 100, 'may be lost': 200, unseen: 200, stands: 100 };

type Why = keyof typeof feedsPerLook;

interface KnownRun {
  /** As listed. */
  since: string;
  feeds: number;
  feedIds: readonly string[];
  /** As text, to be compared; null where it was never looked at. */
  figures: string | null;
  /** It may move: what it was when it was seen first says nothing of that. */
  newUntilMs: number;
  movesUntilMs: number;
  stayedWithUntilMs: number;
  dueAtMs: number;
}

/**
 * Which runs a look has to look at: those that move, those of which something falls due, and a few of the others in
 * turn. Runs that only wait cost the same, however many there are, and however lately they began.
 */
export interface KnownRuns {
  /** The runs of this look, with their totals. */
  look(): Promise<RunTally[]>;
  /** A feed of the run has something on its agenda that is due then. */
  isDueIn(runId: string, ms: number): void;
  ids(): ReadonlySet<string>;
}

export interface KnownRunsDeps {
  runStore: Pick<RunStore, 'tallies' | 'listRuns'>;
  outboxSweep: Pick<OutboxSweep, 'nextDue'>;
  /** Its run has ended, or was paused. */
  onForgotten: (feedIds: readonly string[]) => void;
  clock: Clock;
}

export function createKnownRuns({ runStore, outboxSweep, onForgotten, clock }: KnownRunsDeps): KnownRuns {
  /** In the order in which they were looked at last, or listed. */
  const known = new Map<string, KnownRun>();
  const times = createListingTimes();
  const dueTurns = createDueTurns();

  async function list(nowMs: number): Promise<void> {
    const listing = times.next(nowMs);
    const { runs, until } = await runStore.listRuns(listing.since, listing.reachMs);
    times.listed(listing, until, nowMs);
    // Runs of the first listing, and of those that reach back, are not new for having been listed.
    const isNew = listing.since !== null && listing.reachMs === usualTransactionMs;
    for (const listed of runs) note(listed, isNew ? nowMs + movesForMs : 0, nowMs);
  }

  /** Reads when the next batches of some runs that stand still are due. */
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
      // It was paused and goes on, or is being cancelled.
      run.dueAtMs = run.since === since ? Math.min(run.dueAtMs, dueAtMs) : nowMs;
      run.since = since;
      return;
    }
    const never = { feedIds: [], figures: null, movesUntilMs: 0, stayedWithUntilMs: 0 };
    known.set(runId, { since, feeds, newUntilMs, ...never, dueAtMs });
  }

  function toAsk(nowMs: number): Set<string> {
    const asked = new Set<string>();
    const left = { ...feedsPerLook };
    const ask = (runId: string, run: KnownRun, why: Why): void => {
      if (left[why] <= 0) return;
      left[why] -= run.feeds;
      asked.add(runId);
    };
    const unseen: [string, KnownRun][] = [];
    for (const [runId, run] of known) {
      const why = whyOf(run, nowMs);
      if (why === 'unseen') unseen.push([runId, run]);
      else ask(runId, run, why);
    }
    // The newest too: a run that begins is not behind a crowd that a trigger has yet to learn of.
    for (const [runId, run] of alternately(unseen)) ask(runId, run, 'unseen');
    return asked;
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
    const stayedWithUntilMs = hasChanged && hasReady ? nowMs + stayedWithForMs : before.stayedWithUntilMs;
    const feedIds = feeds.map(({ feedId }) => feedId);
    known.delete(runId);
    known.set(runId, {
      ...before,
      feeds: feedIds.length,
      feedIds,
      figures,
      newUntilMs,
      movesUntilMs,
      stayedWithUntilMs,
      dueAtMs: Infinity,
    });
  }

  function forget(runId: string): void {
    onForgotten(known.get(runId)?.feedIds ?? []);
    known.delete(runId);
  }

  return {
    look: async () => {
      const nowMs = clock.monotonicMs();
      await list(nowMs);
      await readDues(nowMs);
      const asked = toAsk(nowMs);
      const tallies = await runStore.tallies([...asked]);
      for (const tally of tallies) {
        see(tally, nowMs);
        asked.delete(tally.runId);
      }
      for (const runId of asked) forget(runId);
      return tallies;
    },
    isDueIn,
    ids: () => new Set(known.keys()),
  };
}

function whyOf({ figures, dueAtMs, newUntilMs, movesUntilMs, stayedWithUntilMs }: KnownRun, nowMs: number): Why {
  if (dueAtMs <= nowMs) return 'due';
  if (figures === null) return 'unseen';
  if (movesUntilMs > nowMs) return 'moves';
  if (newUntilMs > nowMs) return 'new';
  return stayedWithUntilMs > nowMs ? 'may be lost' : 'stands';
}

/** On a topic, or with a worker: fed and not through the chain, and not waiting either. */
function hasReadyWork({ feeds }: RunTally): boolean {
  return feeds.some(({ fedBatches, fromStep, flow }) =>
    readyBySteps({ fedBatches, fromStep, steps: flow }).some((ready) => ready > 0),
  );
}

function isFed({ feeds }: RunTally): boolean {
  return feeds.every(({ complete }) => complete);
}
