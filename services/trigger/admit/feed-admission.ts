import type { Clock } from '../../../shared/ports/clock.ts';
import { actionTypeOf, chainLoadOf, type ChainLoad } from './chain-load.ts';
import { admitBatches, priorityWeights, readyBound, smoothedRate, type SharingFeed } from './fairness.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import { pauseAfter } from '../keep/pause-after.ts';
import type { FeedLoad, FeedStore } from '../feed/feed-store.port.ts';
import { createRunPaces, type RunPaces } from './run-paces.ts';
import type { TriggerFigures } from '../trigger-figures.ts';

const lookEveryMs = 100;
/** However often a pager asks for room. */
const minPauseMs = 20;
/** Pokes ask for a look at once; without a feed there is nothing to look at. */
const idleMs = 60_000;
/** Settled feeds are asked for once more after this, so that those of runs that have ended are forgotten. */
const settledForMs = 60_000;

export interface FeedAdmissionDeps {
  feedStore: FeedStore;
  pagers: () => readonly FeedPager[];
  /** Calls of one worker in flight at once for an action type. */
  concurrencyOf: (actionType: string) => number;
  figures: Pick<TriggerFigures, 'admitted'>;
  clock: Clock;
}

/** Grants room to pagers, over all shards of their chains. */
export interface FeedAdmission {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createFeedAdmission(deps: FeedAdmissionDeps): FeedAdmission {
  const { feedStore, pagers, figures, clock } = deps;
  let busySinceMs: ReadonlyMap<string, number> = new Map();
  let rates = new Map<string, number>();
  let doneBefore = new Map<string, ReadonlyMap<string, number>>();
  let turns: ReadonlyMap<string, number> = new Map();
  let settled = new Set<string>();
  let forgetSettledAtMs = 0;
  let lookedAtMs = clock.monotonicMs();
  let notBeforeMs = 0;

  async function turn(): Promise<number> {
    const mine = new Map(pagers().map((pager) => [pager.feed.feedId, pager]));
    if (mine.size === 0) return idleMs;
    const startedMs = clock.monotonicMs();
    if (startedMs < notBeforeMs) return notBeforeMs - startedMs;

    // Before the look: what is written in between then counts twice for once, and not not at all.
    const granted = new Map([...mine].map(([feedId, pager]) => [feedId, pager.granted()]));
    const loads = await feedStore.loads([...settled]);
    const feeds = loads.map((load) => ({ load, chain: chainLoadOf(load, granted.get(load.feedId) ?? 0) }));

    rates = measuredRates(rates, feeds, doneBefore, startedMs - lookedAtMs);
    busySinceMs = busySince(busySinceMs, feeds, startedMs);
    const bounds = new Map(
      [...depthsOf(feeds)].map(([shard, depth]) => {
        const handledPerSecond = rates.get(shard) ?? 0;
        const busyForMs = startedMs - (busySinceMs.get(shard) ?? startedMs);
        const concurrency = deps.concurrencyOf(actionTypeOf(shard));
        return [shard, readyBound({ handledPerSecond, depth, busyForMs, concurrency })];
      }),
    );
    const paces = createRunPaces(loads, (feedId) => mine.has(feedId));
    const sharing = feeds.map(({ load, chain }) => sharingFeedOf(load, chain, mine.get(load.feedId), paces));
    const admitted = await paces.keepTo(admitBatches(sharing, bounds, turns), turns, feedStore);
    turns = admitted.turns;
    for (const [feedId, batches] of admitted.grants) {
      mine.get(feedId)?.grant(batches);
      figures.admitted(batches);
    }

    doneBefore = new Map(feeds.map(({ load, chain }) => [load.feedId, chain.done]));
    rememberSettled(feeds, startedMs);
    lookedAtMs = startedMs;
    const tookMs = clock.monotonicMs() - startedMs;
    notBeforeMs = startedMs + tookMs + pauseAfter(tookMs, minPauseMs);
    return pauseAfter(tookMs, lookEveryMs);
  }

  function rememberSettled(feeds: readonly FeedInChain[], nowMs: number): void {
    if (nowMs >= forgetSettledAtMs) {
      settled = new Set();
      forgetSettledAtMs = nowMs + settledForMs;
    }
    for (const { load, chain } of feeds) if (chain.isSettled) settled.add(load.feedId);
  }

  return { turn };
}

interface FeedInChain {
  load: FeedLoad;
  chain: ChainLoad;
}

/** By shard. A feed that was not seen before adds nothing to the rate: when its batches were handled is not known. */
function measuredRates(
  before: ReadonlyMap<string, number>,
  feeds: readonly FeedInChain[],
  doneBefore: ReadonlyMap<string, ReadonlyMap<string, number>>,
  elapsedMs: number,
): Map<string, number> {
  const handled = new Map<string, number>([...before.keys()].map((shard) => [shard, 0]));
  for (const { load, chain } of feeds) {
    const last = doneBefore.get(load.feedId);
    for (const [shard, done] of chain.done) {
      handled.set(shard, (handled.get(shard) ?? 0) + done - (last?.get(shard) ?? done));
    }
  }
  const rates = [...handled].map(([shard, count]): [string, number] => [
    shard,
    smoothedRate(before.get(shard) ?? 0, count, elapsedMs),
  ]);
  // A shard that no feed comes through is forgotten once its rate has faded.
  return new Map(rates.filter(([shard, rate]) => rate > 0.01 || feeds.some(({ chain }) => chain.loads.has(shard))));
}

/** By shard: since when something has been ready there or on its way. */
function busySince(
  before: ReadonlyMap<string, number>,
  feeds: readonly FeedInChain[],
  nowMs: number,
): Map<string, number> {
  const busy = feeds.flatMap(({ chain }) => [...chain.loads].filter(([, load]) => load > 0).map(([shard]) => shard));
  return new Map(busy.map((shard) => [shard, before.get(shard) ?? nowMs]));
}

function depthsOf(feeds: readonly FeedInChain[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { chain } of feeds) {
    for (const [shard, depth] of chain.depths) depths.set(shard, Math.max(depth, depths.get(shard) ?? 0));
  }
  return depths;
}

function sharingFeedOf(
  load: FeedLoad,
  { loads, waiting }: ChainLoad,
  pager: FeedPager | undefined,
  paces: RunPaces,
): SharingFeed {
  return {
    feedId: load.feedId,
    pace: paces.of(load),
    weight: priorityWeights[load.priority],
    loads,
    waiting,
    held: load.held,
    complete: load.complete,
    wants: pager ? pager.wants() : null,
  };
}
