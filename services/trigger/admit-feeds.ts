import { admitPages, priorityWeights, roomIn, smoothedRate, unhandledBound, type ShardFeed } from './fairness.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FeedLoad, FeedStore } from './ports/feed-store.ts';
import type { FeedPager } from './feed-pager.ts';
import { pauseAfter } from './pause-after.ts';

const lookEveryMs = 100;
/** Pokes ask for a look at once; without a feed there is nothing to look at. */
const idleMs = 60_000;

export interface AdmitFeedsDeps {
  feedStore: FeedStore;
  pagers: () => readonly FeedPager[];
  clock: Clock;
}

interface ShardState {
  handledPerSecond: number;
  servedLast: string | null;
}

/** Grants room to pagers, shard by shard. What comes back is a loop's turn. */
export function createAdmitFeeds({ feedStore, pagers, clock }: AdmitFeedsDeps): () => Promise<number> {
  let shards = new Map<string, ShardState>();
  let handledBefore = new Map<string, number>();
  let lookedAtMs = clock.monotonicMs();

  return async () => {
    const mine = new Map(pagers().map((pager) => [pager.feed.feedId, pager]));
    if (mine.size === 0) return idleMs;

    // Before the look: what is written in between then counts twice for once, and not not at all.
    const granted = new Map([...mine].map(([feedId, pager]) => [feedId, pager.granted()]));
    const startedMs = clock.monotonicMs();
    const loads = await feedStore.loads();

    const measured = new Map<string, ShardState>();
    for (const [shard, inShard] of Map.groupBy(loads, shardOf)) {
      const state = measuredState(shards.get(shard), inShard, handledBefore, startedMs - lookedAtMs);
      measured.set(shard, state);
      const feeds = inShard.map((load) => shardFeedOf(load, mine.get(load.feedId), granted.get(load.feedId) ?? 0));
      const room = roomIn(feeds, unhandledBound(state.handledPerSecond));
      const { grants, servedLast } = admitPages(feeds, room, state.servedLast);
      state.servedLast = servedLast;
      for (const [feedId, batches] of grants) mine.get(feedId)?.grant(batches);
    }
    shards = measured;
    handledBefore = new Map(loads.map(({ feedId, handledBatches }) => [feedId, handledBatches]));
    lookedAtMs = startedMs;
    return pauseAfter(clock.monotonicMs() - startedMs, lookEveryMs);
  };
}

function shardOf({ firstAction, country }: FeedLoad): string {
  return `${firstAction}/${country}`;
}

/** A feed that was not seen before adds nothing to the rate: when its batches were handled is not known. */
function measuredState(
  before: ShardState | undefined,
  loads: readonly FeedLoad[],
  handledBefore: ReadonlyMap<string, number>,
  elapsedMs: number,
): ShardState {
  const handled = loads.reduce(
    (sum, { feedId, handledBatches }) => sum + handledBatches - (handledBefore.get(feedId) ?? handledBatches),
    0,
  );
  const { handledPerSecond, servedLast } = before ?? { handledPerSecond: 0, servedLast: null };
  return { handledPerSecond: smoothedRate(handledPerSecond, handled, elapsedMs), servedLast };
}

function shardFeedOf(load: FeedLoad, pager: FeedPager | undefined, granted: number): ShardFeed {
  return {
    feedId: load.feedId,
    weight: priorityWeights[load.priority],
    unhandled: load.fedBatches - load.handledBatches + granted,
    complete: load.complete,
    wants: pager ? pager.wants() : null,
  };
}
