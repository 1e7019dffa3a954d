import type { Clock } from '../../../shared/ports/clock.ts';
import { actionTypeOf } from '../standing/chain-load.ts';
import { admitBatches, readyBound, roomsIn, exceedsFirstBound, weightOf, type SharingFeed } from './fairness.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { FeedStore } from '../ports/feed-store.ts';
import { measureRate, ratePerSecond, unmeasured, type MeasuredRate } from './measured-rate.ts';
import { createKnownFeeds, type KnownFeed, type KnownFeeds, type SeenFeed } from './known-feeds.ts';
import { createRunPaces, type RunPaces } from './run-paces.ts';
import type { ShardSum } from './shard-sums.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';

const pollEveryMs = 100;
/**
 * Interval in milliseconds of scans (reads of feed figures and grants) while each feed is the only one in its shards,
 * and these are slow and have more than a second of ready work. More frequent scans would make pagers write, publish
 * and fetch the same batches in smaller parts.
 */
const pollEveryWhileStockedMs = 500;
const stockedForMs = 1000;
const slowPerSecond = 1000;
/** Time in milliseconds after which the measured rate of a shard is reliable. */
const knownAfterMs = 2000;
/**
 * Maximum pause in milliseconds after a slow scan. A scan reads little, so a slow scan means that the database is slow.
 * The pause is limited nevertheless, because feeds wait for grants.
 */
const longestPauseMs = 1000;
/** Minimum pause in milliseconds between scans, however often pagers request grants. */
const minPauseMs = 20;
/** Pause in milliseconds while this trigger pages no feed. A pager that needs a grant wakes the loop. */
const idleMs = 60_000;

export interface FeedAdmissionDeps {
  feedStore: FeedStore;
  pagers: () => readonly FeedPager[];
  concurrencyOf: (actionType: string) => number;
  figures: Pick<TriggerFigures, 'admitted'>;
  clock: Clock;
}

/** Loop that grants batches to pagers, according to the capacity of all shards of their chains. */
export interface FeedAdmission {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createFeedAdmission(deps: FeedAdmissionDeps): FeedAdmission {
  const { feedStore, pagers, figures, clock } = deps;
  let known: KnownFeeds | null = null;
  let busySinceMs: ReadonlyMap<string, number> = new Map();
  let rates: ReadonlyMap<string, MeasuredRate> = new Map();
  let turns: ReadonlyMap<string, number> = new Map();
  let polledAtMs = clock.monotonicMs();
  let notBeforeMs = 0;
  let stockedUntilMs = 0;
  let betweenPollsMs = pollEveryMs;

  async function turn(): Promise<number> {
    const mine = new Map(pagers().map((pager) => [pager.feed.feedId, pager]));
    if (mine.size === 0) {
      known = null;
      return idleMs;
    }
    const startedMs = clock.monotonicMs();
    if (startedMs < notBeforeMs) return notBeforeMs - startedMs;
    if (startedMs < stockedUntilMs && !isAnyNew(mine)) return stockedUntilMs - startedMs;

    known ??= createKnownFeeds({ feedStore, concurrencyOf: deps.concurrencyOf, clock });
    const seen = await known.read(mine, betweenPollsMs);
    const shards = known.sums.shards();
    rates = measuredRates(rates, seen, shards, startedMs - polledAtMs);
    busySinceMs = busySince(busySinceMs, shards, startedMs);
    await grant(known, mine, shards, boundsOf(shards, startedMs));

    polledAtMs = startedMs;
    const tookMs = clock.monotonicMs() - startedMs;
    notBeforeMs = startedMs + tookMs + pauseAfter(tookMs, minPauseMs, longestPauseMs);
    const { feeds } = known;
    const isStocked = [...mine.keys()].every((feedId) => isStockedOf(feeds.get(feedId), shards, startedMs));
    const pauseMs = pauseAfter(tookMs, isStocked ? pollEveryWhileStockedMs : pollEveryMs, longestPauseMs);
    stockedUntilMs = isStocked ? startedMs + tookMs + pauseMs : 0;
    betweenPollsMs = tookMs + pauseMs;
    return pauseMs;
  }

  /** Returns whether this trigger pages a feed that it did not page at the last scan. */
  function isAnyNew(mine: ReadonlyMap<string, FeedPager>): boolean {
    return [...mine.keys()].some((feedId) => !known?.own.has(feedId));
  }

  function isStockedOf(feed: KnownFeed | undefined, shards: ReadonlyMap<string, ShardSum>, nowMs: number): boolean {
    if (feed?.load.paceAllows !== null) return false;
    return [...feed.chain.loads].every(([shard, load]) => {
      if (load !== shards.get(shard)?.load || nowMs - (busySinceMs.get(shard) ?? nowMs) < knownAfterMs) return false;
      const perSecond = ratePerSecond(rates.get(shard) ?? unmeasured);
      return perSecond <= slowPerSecond && load * 1000 >= perSecond * stockedForMs;
    });
  }

  function boundsOf(shards: ReadonlyMap<string, ShardSum>, nowMs: number): Map<string, number> {
    return new Map(
      [...shards].map(([shard, { depth }]) => {
        const handledPerSecond = ratePerSecond(rates.get(shard) ?? unmeasured);
        const busyForMs = nowMs - (busySinceMs.get(shard) ?? nowMs);
        const concurrency = deps.concurrencyOf(actionTypeOf(shard));
        const untilNextPollMs = betweenPollsMs;
        return [shard, readyBound({ handledPerSecond, depth, busyForMs, concurrency, untilNextPollMs })];
      }),
    );
  }

  async function grant(
    now: KnownFeeds,
    mine: ReadonlyMap<string, FeedPager>,
    shards: ReadonlyMap<string, ShardSum>,
    bounds: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { feeds, own } = now;
    const paced = [...feeds.values()].flatMap(({ load }) => (load.paceAllows === null ? [] : [load]));
    const paces = createRunPaces(paced, (feedId) => mine.has(feedId));
    const sharing = [...own].flatMap((feedId) => {
      const [feed, pager] = [feeds.get(feedId), mine.get(feedId)];
      return feed && pager ? [sharingFeedOf(feed, pager.wants(betweenPollsMs), paces)] : [];
    });
    const wanted = admitBatches(sharing, roomsIn(shards, bounds), bounds, turns);
    const admitted = await paces.keepTo(wanted, turns, feedStore);
    turns = admitted.turns;
    for (const [feedId, batches] of admitted.grants) {
      mine.get(feedId)?.grant(batches);
      now.moves(feedId);
      figures.admitted(batches);
    }
  }

  return { turn };
}

/**
 * Returns the measured rates by shard. A feed that was not known at the previous scan adds nothing, because its batches
 * were handled in an unknown time. Time in which a shard had nothing to do does not count.
 */
function measuredRates(
  before: ReadonlyMap<string, MeasuredRate>,
  seen: readonly SeenFeed[],
  shards: ReadonlyMap<string, ShardSum>,
  elapsedMs: number,
): Map<string, MeasuredRate> {
  const handled = new Map<string, number>();
  for (const { done, doneBefore } of seen) {
    for (const [shard, count] of done) {
      handled.set(shard, (handled.get(shard) ?? 0) + count - (doneBefore?.get(shard) ?? count));
    }
  }
  const rates = new Map<string, MeasuredRate>([...shards.keys()].map((shard) => [shard, unmeasured]));
  for (const [shard, rate] of before) {
    const next = measureRate(rate, handled.get(shard) ?? 0, elapsedMs);
    if (isBusy(shards.get(shard)) || exceedsFirstBound(ratePerSecond(next))) rates.set(shard, next);
  }
  return rates;
}

function isBusy(sum: ShardSum | undefined): boolean {
  return sum !== undefined && sum.load > 0;
}

/**
 * Returns, by shard, the time since when there have always been batches that are ready in the shard or on their way
 * there.
 */
function busySince(
  before: ReadonlyMap<string, number>,
  shards: ReadonlyMap<string, ShardSum>,
  nowMs: number,
): Map<string, number> {
  const busy = [...shards].flatMap(([shard, sum]) => (isBusy(sum) ? [shard] : []));
  return new Map(busy.map((shard) => [shard, before.get(shard) ?? nowMs]));
}

function sharingFeedOf({ load, chain, progress }: KnownFeed, wants: number, paces: RunPaces): SharingFeed {
  return {
    feedId: load.feedId,
    pace: paces.of(load),
    weight: weightOf(load),
    loads: chain.loads,
    progress,
    waiting: chain.waiting,
    held: load.held,
    wants,
  };
}
