import type { Admitted, SharingFeed } from './fairness.ts';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';

/**
 * Number of batches that this trigger may feed at one scan under the paces of runs. A pace is a limit in users per
 * second.
 */
export interface RunPaces {
  of(load: FeedLoad): SharingFeed['pace'];
  /**
   * Takes the granted batches from the allowances in the database. If another trigger has used up an allowance
   * meanwhile, the grants are reduced. A feed whose grant is reduced to 0 keeps its turn.
   */
  keepTo(
    admitted: Admitted,
    turnsBefore: ReadonlyMap<string, number>,
    store: Pick<FeedStore, 'takePace'>,
  ): Promise<Admitted>;
}

/**
 * Creates the paces for one scan. The allowance of a run is stored in the database, so that the grants of several
 * triggers together do not exceed it. Each trigger requests only a share, in proportion to its part of the run's
 * incomplete feeds. Otherwise, a trigger that polls more often could take the whole allowance, and the countries of the
 * others would starve.
 * @param loads feeds whose runs have a pace; of each run, the last feed contains the current allowance
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
        // If the run has lost its pace meanwhile, the grant is kept. It is small, because it was made under the old
        // pace.
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
  // If the allowance is less than one batch per feed, each share would be rounded to zero. Instead, the first trigger
  // that requests a batch gets one.
  return own.length === 0 || batches === 0 ? 0 : Math.max(1, Math.floor((batches * own.length) / incomplete.length));
}
