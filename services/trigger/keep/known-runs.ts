import type { Clock } from '../../../shared/ports/clock.ts';
import { readyBySteps } from '../admit/chain-load.ts';
import type { RunStore, RunTally } from './run-store.port.ts';

/** Totals that have not changed for so long stand still: of runs of which all waits, and of those with ready work. */
const waitsAfterMs = 5000;
const standsAfterMs = 60_000;
/** Of the runs that stand still, so many are looked at in one look, in turn, and of those that were never looked at. */
const standingPerLook = 50;
const unseenPerLook = 100;
/** Then all are listed: what a long transaction began is older, when it is seen, than what was listed before. */
const listAllEveryMs = 60_000;
/** What is put back once more between two looks changes no figure: so long what was noted as due is trusted. */
const dueWithinMs = 30_000;

interface KnownRun {
  feedIds: readonly string[];
  /** As text, to be compared. */
  figures: string;
  movesUntilMs: number;
  dueAtMs: number;
}

/**
 * Which runs a look has to look at: those that move, those of which something falls due, and a few of the others in
 * turn. Runs that only wait cost the same, however many there are.
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
  /** Its run has ended, or was paused. */
  onForgotten: (feedIds: readonly string[]) => void;
  clock: Clock;
}

export function createKnownRuns({ runStore, onForgotten, clock }: KnownRunsDeps): KnownRuns {
  /** In the order in which they were looked at last. */
  const known = new Map<string, KnownRun>();
  const unseen = new Set<string>();
  let listedUntil: string | null = null;
  let listAllAtMs = -Infinity;

  async function list(nowMs: number): Promise<Set<string>> {
    const isAll = nowMs >= listAllAtMs;
    const { runIds, until } = await runStore.listRuns(isAll ? null : listedUntil);
    listedUntil = until;
    if (isAll) listAllAtMs = nowMs + listAllEveryMs;
    for (const runId of runIds) if (!known.has(runId)) unseen.add(runId);
    return new Set(isAll ? [] : runIds);
  }

  function see(tally: RunTally, nowMs: number): void {
    const { runId, feeds } = tally;
    const before = known.get(runId);
    const figures = JSON.stringify(feeds);
    const movesForMs = before?.figures === figures ? 0 : hasReadyWork(tally) ? standsAfterMs : waitsAfterMs;
    known.delete(runId);
    unseen.delete(runId);
    known.set(runId, {
      feedIds: feeds.map(({ feedId }) => feedId),
      figures,
      movesUntilMs: Math.max(before?.movesUntilMs ?? 0, nowMs + movesForMs),
      dueAtMs: nowMs + dueWithinMs,
    });
  }

  function forget(runId: string): void {
    onForgotten(known.get(runId)?.feedIds ?? []);
    known.delete(runId);
    unseen.delete(runId);
  }

  return {
    look: async () => {
      const nowMs = clock.monotonicMs();
      const asked = await list(nowMs);
      const standing: string[] = [];
      for (const [runId, { movesUntilMs, dueAtMs }] of known) {
        if (movesUntilMs > nowMs || dueAtMs <= nowMs) asked.add(runId);
        else if (standing.length < standingPerLook) standing.push(runId);
      }
      for (const runId of [...standing, ...[...unseen].slice(0, unseenPerLook)]) asked.add(runId);
      const tallies = await runStore.tallies([...asked]);
      for (const tally of tallies) {
        see(tally, nowMs);
        asked.delete(tally.runId);
      }
      for (const runId of asked) forget(runId);
      return tallies;
    },
    isDueIn: (runId, ms) => {
      const run = known.get(runId);
      if (run) run.dueAtMs = Math.min(run.dueAtMs, clock.monotonicMs() + ms);
    },
    ids: () => new Set(known.keys()),
  };
}

/** On a topic, or with a worker: fed and not through the chain, and not waiting either. */
function hasReadyWork({ feeds }: RunTally): boolean {
  return feeds.some(({ fedBatches, fromStep, flow }) =>
    readyBySteps({ fedBatches, fromStep, steps: flow }).some((ready) => ready > 0),
  );
}
