/**
 * How the feeds of a shard share the room in its topic. A shard's unhandled batches stay under a few seconds of work, so that a small
 * campaign starts at once, and what is not published yet costs nothing to expire or cancel. All counts are batches.
 */

/** Shares of the room, relative to each other. */
export const priorityWeights = { low: 1, normal: 2, high: 4 } as const;

/** Enough to keep a few workers busy before anything was measured. */
const minBoundBatches = 300;
const boundSeconds = 3;

/** One visit of the round gives this times the feed's weight: about a page. */
const quantumBatches = 10;

/** How long ago something has to be for the measured rate to have forgotten two thirds of it. */
const rateMemoryMs = 2000;

export interface ShardFeed {
  feedId: string;
  weight: number;
  /** Fed and not handled yet, or granted and not fed yet. */
  unhandled: number;
  /** Its last page has been fed: it needs no more room, but what is unhandled takes some. */
  complete: boolean;
  /** How many more batches its pager could use now; null when another trigger pages it, or nobody. */
  wants: number | null;
}

/** How many unhandled batches a shard may have. */
export function unhandledBound(handledPerSecond: number): number {
  return Math.max(minBoundBatches, Math.ceil(handledPerSecond * boundSeconds));
}

/** The rate per second after `handled` more batches in `elapsedMs`. */
export function smoothedRate(ratePerSecond: number, handled: number, elapsedMs: number): number {
  if (elapsedMs <= 0) return ratePerSecond;
  const share = 1 - Math.exp(-elapsedMs / rateMemoryMs);
  return ratePerSecond + ((handled * 1000) / elapsedMs - ratePerSecond) * share;
}

/**
 * What this trigger may grant now. The shard's room is divided among triggers by the weights of the incomplete feeds that they page, so
 * that one which is quick to ask cannot keep the others out.
 */
export function roomIn(feeds: readonly ShardFeed[], bound: number): number {
  const incomplete = feeds.filter((feed) => !feed.complete);
  const own = incomplete.filter((feed) => feed.wants !== null);
  if (own.length === 0) return 0;
  const share = sum(own, (feed) => feed.weight) / sum(incomplete, (feed) => feed.weight);
  const ownRoom = bound * share - sum(own, (feed) => feed.unhandled);
  return Math.max(0, Math.min(bound - sum(feeds, (feed) => feed.unhandled), ownRoom));
}

export interface Admitted {
  /** Batches by feed; feeds that get none are left out. */
  grants: Map<string, number>;
  /** The feed that was served last: the next round begins behind it. */
  servedLast: string | null;
}

/**
 * Deficit round robin over the feeds that want something. Batches are small beside a quantum, so a visit serves its quantum whole and the
 * only thing to remember is whose turn it is. Serves while there is room: the last grant may exceed it, by less than one quantum.
 *
 * @param servedLast as it came back from the round before
 */
export function admitPages(feeds: readonly ShardFeed[], room: number, servedLast: string | null): Admitted {
  const ring = ringBehind(feeds, servedLast);
  const grants = new Map<string, number>();
  let left = room;
  let last = servedLast;
  let servedAny = true;
  while (left > 0 && servedAny) {
    servedAny = false;
    for (const { feedId, weight, wants } of ring) {
      const granted = grants.get(feedId) ?? 0;
      const grant = Math.min(quantumBatches * weight, (wants ?? 0) - granted);
      if (grant <= 0 || left <= 0) continue;
      grants.set(feedId, granted + grant);
      left -= grant;
      last = feedId;
      servedAny = true;
    }
  }
  return { grants, servedLast: last };
}

/** In the order of their ids, beginning behind the one that was served last, whether it is still there or not. */
function ringBehind(feeds: readonly ShardFeed[], servedLast: string | null): ShardFeed[] {
  const sorted = feeds.toSorted((a, b) => (a.feedId < b.feedId ? -1 : 1));
  if (servedLast === null) return sorted;
  const next = sorted.findIndex(({ feedId }) => feedId > servedLast);
  return next < 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
}

function sum(feeds: readonly ShardFeed[], of: (feed: ShardFeed) => number): number {
  return feeds.reduce((total, feed) => total + of(feed), 0);
}
