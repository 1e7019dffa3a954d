import type { ChainLoad } from '../standing/chain-load.ts';
import { measureRate, ratePerSecond, unmeasured, type MeasuredRate } from './measured-rate.ts';

/** A feed is stuck in a shard if none of its batches there was handled for this many milliseconds. */
const standsStillAfterMs = 1000;
/** Time in milliseconds after which the measured rate of a feed is used. */
const measuredAfterMs = 1000;
/**
 * Maximum number of competing batches of a feed, in seconds of work at its own rate. It is twice the time that the
 * bound of a shard covers, so a feed that is handled as fast as it is fed stays below this number.
 */
const competingSeconds = 6;

/** Progress of a feed's ready batches in one shard of its chain. Times are of the trigger's monotonic clock. */
export interface ShardProgress {
  /** Number of the feed's ready batches that reduce the capacity for other feeds in the shard. */
  competing: number;
  readySinceMs: number;
  /** Time at which the last batch was handled. If none was, the time at which batches became ready. */
  movedAtMs: number;
  /** True if a batch was handled since batches became ready, which proves that workers serve the feed in this shard. */
  isServed: boolean;
  rate: MeasuredRate;
}

/** Progress of a feed, by shard of its chain. A shard is missing if the feed had no ready batch in it for a second. */
export type FeedProgress = ReadonlyMap<string, ShardProgress>;

export interface ProgressingFeed {
  /** Number of batches by shard: ready in the shard, on their way there, or granted and not fed yet. */
  loads: ReadonlyMap<string, number>;
  progress: FeedProgress;
  waiting: number;
}

/** Returns how many ready batches of a feed reduce the capacity for other feeds in a shard. */
export function competingIn({ loads, progress }: Omit<ProgressingFeed, 'waiting'>, shard: string): number {
  return progress.get(shard)?.competing ?? loads.get(shard) ?? 0;
}

/**
 * Returns true if a feed counts when triggers divide the capacity of a shard. A stuck feed does not count: it has
 * batches that are ready or wait for a retry, and none of them was handled for a second.
 */
export function isMovingIn(feed: ProgressingFeed, shard: string): boolean {
  if ((feed.loads.get(shard) ?? 0) > 0) return competingIn(feed, shard) > 0;
  return feed.progress.has(shard) || feed.waiting === 0;
}

export interface SeenProgress {
  chain: Pick<ChainLoad, 'done'>;
  progress: FeedProgress;
  seenAtMs: number;
}

/**
 * Returns the progress of a feed at this scan. Ready batches that workers will handle within a few seconds, at the
 * feed's own rate, compete with other feeds for capacity. Stuck batches do not compete: their calls hang, fail or are
 * not due yet.
 * @param before null if the feed was not known before
 * @param leastOf returns, by shard and step, how many batches of a moving feed always compete, however slowly workers
 * handle them
 */
export function progressOf(
  before: SeenProgress | null,
  { loads, done, depths }: Pick<ChainLoad, 'loads' | 'done' | 'depths'>,
  leastOf: (shard: string, depth: number) => number,
  nowMs: number,
): FeedProgress {
  const progress = new Map<string, ShardProgress>();
  for (const [shard, load] of loads) {
    const last = before?.progress.get(shard);
    if (!before || !last) {
      if (load > 0) progress.set(shard, begunAt(nowMs, load));
      continue;
    }
    const handled = Math.max(0, (done.get(shard) ?? 0) - (before.chain.done.get(shard) ?? 0));
    const movedAtMs = handled > 0 ? nowMs : last.movedAtMs;
    const standsStill = nowMs - movedAtMs >= standsStillAfterMs;
    // The entry of a moving feed is kept even if no batch is ready, because workers may have handled all of them since
    // the last scan.
    if (load <= 0 && standsStill) continue;
    const { readySinceMs } = last;
    const rate = measureRate(last.rate, handled, nowMs - before.seenAtMs);
    let competing = standsStill ? 0 : load;
    if (competing > 0 && nowMs - readySinceMs >= measuredAfterMs) {
      const least = leastOf(shard, depths.get(shard) ?? 1);
      if (load > least) competing = Math.min(load, Math.max(least, Math.ceil(competingSeconds * ratePerSecond(rate))));
    }
    progress.set(shard, { competing, readySinceMs, movedAtMs, isServed: last.isServed || handled > 0, rate });
  }
  return progress;
}

function begunAt(nowMs: number, load: number): ShardProgress {
  return { competing: load, readySinceMs: nowMs, movedAtMs: nowMs, isServed: false, rate: unmeasured };
}
