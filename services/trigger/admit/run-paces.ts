import type { Admitted, SharingFeed } from './fairness.ts';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';

/** Batches that the paces of runs allow this trigger at one look. */
export interface RunPaces {
  of(load: FeedLoad): SharingFeed['pace'];
  /**
   * Takes the granted batches from the paces in the database. Removes the grants that another trigger has taken
   * meanwhile: a feed that then gets nothing keeps its turn.
   */
  keepTo(
    admitted: Admitted,
    turnsBefore: ReadonlyMap<string, number>,
    store: Pick<FeedStore, 'takePace'>,
  ): Promise<Admitted>;
}

/**
 * Creates the paces of one look. Allowances are in the database, so that grants of several triggers do not add up. Each
 * trigger requests its share by the run's incomplete feeds, so that no country is starved by frequent looks.
 * @param loads of feeds whose runs have a pace; the last one was read last and has the current allowance
 */
export function createRunPaces(loads: readonly FeedLoad[], isOwn: (feedId: string) => boolean): RunPaces {
  const runOf = new Map(
    loads.flatMap(({ feedId, runId, paceAllows }) => (paceAllows === null ? [] : [[feedId, runId]])),
  );
  const allowed = new Map<string, number>();
  for (const [runId, feeds] of Map.groupBy(loads, (load) => load.runId)) {
    const users = feeds.at(-1)?.paceAllows ?? null;
    if (users !== null) allowed.set(runId, ownBatches(feeds, users, isOwn));
  }

  return {
    of: ({ runId }) => {
      const batches = allowed.get(runId);
      return batches === undefined ? null : { runId, batches };
    },
    keepTo: async ({ grants, turns }, turnsBefore, store) => {
      const requested = new Map<string, number>();
      for (const [feedId, batches] of grants) {
        const runId = runOf.get(feedId);
        if (runId !== undefined) requested.set(runId, (requested.get(runId) ?? 0) + batches);
      }
      if (requested.size === 0) return { grants, turns };
      const left = await store.takePace([...requested].map(([runId, batches]) => ({ runId, batches })));
      const kept: Admitted = { grants: new Map(), turns: new Map(turns) };
      for (const [feedId, batches] of grants) {
        const runId = runOf.get(feedId);
        // The run has lost its pace since the look. The grant under the old pace is small.
        const mayHave = runId === undefined ? batches : Math.min(batches, left.get(runId) ?? batches);
        if (runId !== undefined && left.has(runId)) left.set(runId, (left.get(runId) ?? 0) - mayHave);
        if (mayHave > 0) kept.grants.set(feedId, mayHave);
        else kept.turns.set(feedId, turnsBefore.get(feedId) ?? 0);
      }
      return kept;
    },
  };
}

function ownBatches(feeds: readonly FeedLoad[], users: number, isOwn: (feedId: string) => boolean): number {
  const incomplete = feeds.filter(({ complete }) => !complete);
  const own = incomplete.filter(({ feedId }) => isOwn(feedId));
  const batches = Math.floor(users / (feeds[0]?.batchUsers ?? 1));
  // If the allowance is less than one batch per feed, the first trigger to request gets one batch: shares would round
  // to zero for ever.
  return own.length === 0 || batches === 0 ? 0 : Math.max(1, Math.floor((batches * own.length) / incomplete.length));
}
