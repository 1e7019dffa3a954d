import { callDurationBuckets, durationBucketOf, type DurationBuckets } from '../../shared/domain/job/call-durations.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CallDurations } from '../../shared/ports/job-nodes.ts';

/** Length of a step of the last minute's count: a call is forgotten up to one step late. */
const secondsStepMs = 2000;
const secondsSteps = 31;
const minutesStepMs = 60_000;
const minutesSteps = 11;

/** Ring buffers of one outlet, by step; the current step is included. */
interface Counted {
  /** Number of the current step since the clock began. */
  second: number;
  minute: number;
  /** Calls by step. */
  seconds: Uint32Array;
  /** Calls by step, and within a step by bucket. */
  minutes: Uint32Array;
}

/** Counts of ended calls by outlet. An outlet without a call for ten minutes uses no memory. */
export interface CallCounts {
  note(outletId: string, tookMs: number): void;
  lastMinute(): Map<string, number>;
  /** Returns the durations of the calls of the last ten minutes. Call this regularly: it also removes older data. */
  durations(): CallDurations;
}

export function createCallCounts({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): CallCounts {
  const outlets = new Map<string, Counted>();
  const sinceMs = clock.monotonicMs();

  return {
    note: (outletId, tookMs) => {
      const nowMs = clock.monotonicMs();
      let own = outlets.get(outletId);
      if (!own) outlets.set(outletId, (own = nothingCounted()));
      goTo(own, nowMs);
      const second = own.second % secondsSteps;
      own.seconds[second] = (own.seconds[second] ?? 0) + 1;
      const place = (own.minute % minutesSteps) * callDurationBuckets + durationBucketOf(tookMs);
      own.minutes[place] = (own.minutes[place] ?? 0) + 1;
    },

    lastMinute: () => {
      const nowMs = clock.monotonicMs();
      const counts = new Map<string, number>();
      for (const [outletId, own] of outlets) {
        goTo(own, nowMs);
        const calls = sumOf(own.seconds);
        if (calls > 0) counts.set(outletId, calls);
      }
      return counts;
    },

    durations: () => {
      const nowMs = clock.monotonicMs();
      const byOutlet = new Map<string, DurationBuckets>();
      for (const [outletId, own] of outlets) {
        goTo(own, nowMs);
        const buckets = sumSteps(own.minutes);
        // The ten minutes include the last one.
        if (buckets.every((calls) => calls === 0)) outlets.delete(outletId);
        else byOutlet.set(outletId, buckets);
      }
      const beganMs = (Math.floor(nowMs / minutesStepMs) - minutesSteps + 1) * minutesStepMs;
      return { forMs: Math.round(nowMs - Math.max(sinceMs, beganMs)), byOutlet };
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

/** Clears the steps that have begun since the last call. */
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
