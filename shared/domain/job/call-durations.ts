/**
 * Upper bounds of what is told apart of how long calls took, in milliseconds, inclusive. No call may take longer than
 * the last one; what did, because its process was held up, is in none of them.
 */
export const callDurationBoundsMs = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000] as const;

/** One for each bound, and the last one for what took longer. */
export const callDurationBuckets = callDurationBoundsMs.length + 1;

/** In which of them a call is that took so long. */
export function durationBucketOf(ms: number): number {
  let bucket = 0;
  while (ms > (callDurationBoundsMs[bucket] ?? Infinity)) bucket++;
  return bucket;
}

/** Calls of each bucket, in their order. */
export type DurationBuckets = readonly number[];

/** Calls by the upper bound of their bucket, as it is read: `{"250": 40, "500": 2}`; `over` took longer than all. */
export type DurationCounts = Readonly<Record<string, number>>;

const over = 'over';
const keys = [...callDurationBoundsMs, over].map((bound) => `"${bound}":`);

/**
 * JSON of their counts by bound; buckets without a call are left out. Written by hand: with bounds for keys an object
 * is an array with holes, and those of 5,000 endpoints took 50 ms.
 */
export function writtenDurations(buckets: DurationBuckets): string {
  let written = '';
  for (let bucket = 0; bucket < callDurationBuckets; bucket++) {
    const calls = buckets[bucket] ?? 0;
    if (calls > 0) written += (written === '' ? '' : ',') + (keys[bucket] ?? '') + String(calls);
  }
  return `{${written}}`;
}

/** All of them together. Processes of another version may have other bounds. */
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
 * So long took at most `share` of the calls: the upper bound of the bucket that the slowest of these is in. Null where
 * there was none, and where that has no bound.
 * @param share in (0, 1]
 */
export function durationAtMostMs(counts: DurationCounts, share: number): number | null {
  // 0.95 has no exact number: 95 of 100 are not to be 96.
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
