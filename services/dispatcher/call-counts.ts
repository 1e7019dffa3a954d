import { callDurationBuckets, durationBucketOf, type DurationBuckets } from '../../shared/domain/job/call-durations.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CallDurations } from '../../shared/ports/job-nodes.ts';

/**
 * Length in milliseconds of one step of the ring buffer that counts the calls of the last minute. A call is counted for
 * up to one step longer than a minute.
 */
const secondsStepMs = 2000;
const secondsSteps = 31;
const minutesStepMs = 60_000;
const minutesSteps = 11;

/** Ring buffers with the calls of one endpoint of a client, by step. The current step is included. */
interface Counted {
  /** Number of the current two-second step, counted from the clock's zero. */
  second: number;
  minute: number;
  /** Number of calls in each step of `secondsStepMs`. */
  seconds: Uint32Array;
  /** Number of calls in each step of `minutesStepMs`, and within a step by bucket of their duration. */
  minutes: Uint32Array;
}

/**
 * Counts of ended calls by endpoint of a client. An endpoint without a call in the last ten minutes uses no
 * memory.
 */
export interface CallCounts {
  note(endpointId: string, tookMs: number): void;
  lastMinute(): Map<string, number>;
  /** Returns the durations of the calls of the last ten minutes. Call this regularly: it also removes older data. */
  durations(): CallDurations;
}

export function createCallCounts({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): CallCounts {
  const endpoints = new Map<string, Counted>();
  const sinceMs = clock.monotonicMs();

  return {
    note: (endpointId, tookMs) => {
      const nowMs = clock.monotonicMs();
      let own = endpoints.get(endpointId);
      if (!own) endpoints.set(endpointId, (own = nothingCounted()));
      goTo(own, nowMs);
      const second = own.second % secondsSteps;
      own.seconds[second] = (own.seconds[second] ?? 0) + 1;
      const place = (own.minute % minutesSteps) * callDurationBuckets + durationBucketOf(tookMs);
      own.minutes[place] = (own.minutes[place] ?? 0) + 1;
    },

    lastMinute: () => {
      const nowMs = clock.monotonicMs();
      const counts = new Map<string, number>();
      for (const [endpointId, own] of endpoints) {
        goTo(own, nowMs);
        const calls = sumOf(own.seconds);
        if (calls > 0) counts.set(endpointId, calls);
      }
      return counts;
    },

    durations: () => {
      const nowMs = clock.monotonicMs();
      const byEndpoint = new Map<string, DurationBuckets>();
      for (const [endpointId, own] of endpoints) {
        goTo(own, nowMs);
        const buckets = sumSteps(own.minutes);
        // An endpoint without a call in the last ten minutes also has none in the last minute, so its entry can be
        // deleted.
        if (buckets.every((calls) => calls === 0)) endpoints.delete(endpointId);
        else byEndpoint.set(endpointId, buckets);
      }
      const beganMs = (Math.floor(nowMs / minutesStepMs) - minutesSteps + 1) * minutesStepMs;
      return { forMs: Math.round(nowMs - Math.max(sinceMs, beganMs)), byEndpoint };
    },
  };
}

function nothingCounted(): Counted {
  return {
    second: 0,
    minute: 0,
    seconds: new Uint32Array(secondsSteps),
    minutes: new Uint32Array(minutesSteps * callDurationBuckets),
  };
}

/** Sets the counts of all steps that have begun since the last call of this function to zero. */
function goTo(own: Counted, nowMs: number): void {
  const second = Math.floor(nowMs / secondsStepMs);
  if (second === own.second) return;
  for (let step = Math.max(own.second, second - secondsSteps) + 1; step <= second; step++) {
    own.seconds[step % secondsSteps] = 0;
  }
  own.second = second;
  const minute = Math.floor(nowMs / minutesStepMs);
  for (let step = Math.max(own.minute, minute - minutesSteps) + 1; step <= minute; step++) {
    const place = (step % minutesSteps) * callDurationBuckets;
    own.minutes.fill(0, place, place + callDurationBuckets);
  }
  own.minute = minute;
}

function sumSteps(minutes: Uint32Array): number[] {
  const sums = noCalls.slice();
  for (let place = 0, bucket = 0; place < minutes.length; place++) {
    sums[bucket] = (sums[bucket] ?? 0) + (minutes[place] ?? 0);
    if (++bucket === callDurationBuckets) bucket = 0;
  }
  return sums;
}

const noCalls = Array.from({ length: callDurationBuckets }, () => 0);

function sumOf(steps: Uint32Array): number {
  let sum = 0;
  for (const calls of steps) sum += calls;
  return sum;
}
