/**
 * Upper bounds of the duration buckets, in milliseconds, inclusive. The last bound is the longest allowed call; calls
 * that took longer, because their process stalled, are in no bounded bucket.
 */
export const callDurationBoundsMs = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000] as const;

/** Number of buckets: one for each bound, and one for longer calls. */
export const callDurationBuckets = callDurationBoundsMs.length + 1;

export function durationBucketOf(ms: number): number {
  let bucket = 0;
  while (ms > (callDurationBoundsMs[bucket] ?? Infinity)) bucket++;
  return bucket;
}

/** Number of calls in each bucket, in the order of the bounds. */
export type DurationBuckets = readonly number[];

/** Calls by the upper bound of their bucket: `{"250": 40, "500": 2}`; `over` counts calls above all bounds. */
export type DurationCounts = Readonly<Record<string, number>>;

const over = 'over';
const keys = [...callDurationBoundsMs, over].map((bound) => `"${bound}":`);

/**
 * Returns the counts by bound as JSON, without empty buckets. The JSON is built by hand, because an object with the
 * bounds as keys is a sparse array. Such objects for 5,000 endpoints took 50 ms.
 */
export function writtenDurations(buckets: DurationBuckets): string {
  let written = '';
  for (let bucket = 0; bucket < callDurationBuckets; bucket++) {
    const calls = buckets[bucket] ?? 0;
    if (calls > 0) written += (written === '' ? '' : ',') + (keys[bucket] ?? '') + String(calls);
  }
  return `{${written}}`;
}

/** Returns the sum of all counts. Processes of another version may have other bounds. */
export function sumOfDurations(all: readonly DurationCounts[]): DurationCounts {
  const sum: Record<string, number> = {};
  for (const counts of all) {
    for (const [bound, calls] of Object.entries(counts)) sum[bound] = (sum[bound] ?? 0) + calls;
  }
  return sum;
}

export function callsIn(counts: DurationCounts): number {
  return Object.values(counts).reduce((sum, calls) => sum + calls, 0);
}

/**
 * Returns the duration within which `share` of the calls ended: the upper bound of the bucket of the slowest of these
 * calls. Returns null if there were no calls, or if that bucket has no bound.
 * @param share in (0, 1]
 */
export function durationAtMostMs(counts: DurationCounts, share: number): number | null {
  // 0.95 is not exact in binary: 95 of 100 must not become 96.
  const needed = Math.ceil(callsIn(counts) * share - 1e-6);
  if (needed === 0) return null;
  const bounds = Object.keys(counts)
    .filter((bound) => bound !== over)
    .map(Number)
    .sort((a, b) => a - b);
  let seen = 0;
  for (const bound of bounds) {
    seen += counts[bound] ?? 0;
    if (seen >= needed) return bound;
  }
  return null;
}
