import type { Shard } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { isUnserved } from '../../parts/shards/unserved.ts';
import type { ShardFilter } from './search.ts';

/** Lag in seconds above which a shard needs attention. */
export const longLagSeconds = 30;

/** Returns the lag in seconds; Infinity if there is work but no progress. */
export function lagSeconds({ lag }: Shard): number {
  return lag.seconds ?? Number.POSITIVE_INFINITY;
}

export function formatLag(shard: Shard): string {
  const { seconds } = shard.lag;
  if (seconds === null) return 'no progress';
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

export function isLate(shard: Shard): boolean {
  return isUnserved(shard) || lagSeconds(shard) > longLagSeconds;
}

/** Sorts shards: first shards without a worker, then by lag, longest first, then by name. */
export function sortByLag(shards: readonly Shard[]): Shard[] {
  return shards.toSorted((a, b) => {
    if (isUnserved(a) !== isUnserved(b)) return isUnserved(a) ? -1 : 1;
    const [first, second] = [lagSeconds(a), lagSeconds(b)];
    if (first !== second) return second > first ? 1 : -1;
    return b.lag.batches - a.lag.batches || (a.id < b.id ? -1 : 1);
  });
}

/**
 * Returns the shards in the given order, with new shards at the end. `moved` is the number of shards whose position
 * differs from the current order.
 */
export function keepOrder(shards: readonly Shard[], order: readonly string[]): { shards: Shard[]; moved: number } {
  const sorted = sortByLag(shards);
  if (order.length === 0) return { shards: sorted, moved: 0 };
  const place = (id: string) => {
    const known = order.indexOf(id);
    return known < 0 ? order.length : known;
  };
  const kept = sorted.toSorted((a, b) => place(a.id) - place(b.id));
  return { shards: kept, moved: kept.filter(({ id }, index) => sorted[index]?.id !== id).length };
}

export function matchesFilter(shard: Shard, filter: ShardFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'breaker':
      return shard.breaker !== 'closed';
    case 'lag':
      return isLate(shard);
  }
}

export function findIdleWorkers({ workers }: Shard): string[] {
  return workers.filter(({ partitions }) => partitions.length === 0).map(({ worker }) => worker);
}

export interface ShardSums {
  longest: Shard | undefined;
  unserved: number;
  /** Median lag in seconds of the shards with progress. */
  medianSeconds: number;
  inTopics: number;
  waiting: number;
  inFlight: number;
  callLimit: number;
  batchesPerSecond: number;
  workers: number;
  idle: number;
}

export function sumShards(shards: readonly Shard[]): ShardSums {
  const sum = (value: (shard: Shard) => number) => shards.reduce((all, shard) => all + value(shard), 0);
  const lags = shards.flatMap(({ lag }) => lag.seconds ?? []).sort((a, b) => a - b);
  const workers = new Set(shards.flatMap((shard) => shard.workers.map(({ worker }) => worker)));
  const serving = new Set(
    shards.flatMap((shard) =>
      shard.workers.filter(({ partitions }) => partitions.length > 0).map(({ worker }) => worker),
    ),
  );
  return {
    longest: sortByLag(shards)[0],
    unserved: shards.filter(isUnserved).length,
    medianSeconds: lags[Math.floor(lags.length / 2)] ?? 0,
    inTopics: sum(({ lag }) => lag.messages ?? lag.batches),
    waiting: sum(({ lag }) => lag.waiting),
    inFlight: sum((shard) => shard.inFlight),
    callLimit: sum((shard) => shard.callLimit),
    batchesPerSecond: sum((shard) => shard.batchesPerSecond),
    workers: workers.size,
    idle: [...workers].filter((worker) => !serving.has(worker)).length,
  };
}

/** Returns `worker-9 and worker-10 are idle: 10 workers for 8 partitions`; undefined if no worker is idle. */
export function describeIdleWorkers(shard: Shard): string | undefined {
  const idle = findIdleWorkers(shard);
  if (idle.length === 0) return undefined;
  const named = idle.length > 3 ? countOf(idle.length, 'worker') : idle.join(' and ');
  const { actual, wanted } = shard.partitions;
  return `${named} ${idle.length === 1 ? 'is' : 'are'} idle: ${countOf(shard.workers.length, 'worker')} for ${countOf(actual ?? wanted, 'partition')}`;
}

export function describeHistory({ lag }: Shard): string {
  const known = lag.history.filter((each) => each !== null);
  if (known.length === 0) return 'Lag of the last 15 minutes: no data';
  return `Lag of the last 15 minutes: between ${formatCount(Math.min(...known))} and ${formatCount(Math.max(...known))} s`;
}
