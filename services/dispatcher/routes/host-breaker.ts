import type { FailureLimits } from '../ports/client-terms.ts';

/** Evidence of one call about its host. */
export type HostSign = 'answers' | 'fails' | 'gone' | 'none';

/** Where a host stands, as all dispatchers see it. `closed` is what has no row. */
export type HostState = 'closed' | 'open' | 'closing' | 'disabled';

/** Counts the jobs that were called at one host of one client, and those of them that failed. */
export interface HostBreaker {
  /** @returns true when so many have failed by now that its jobs are to be put aside */
  onCalled(call: { jobId: string; sign: HostSign }, state: HostState, limits: FailureLimits): boolean;
}

export function createHostBreaker(): HostBreaker {
  let called = 0;
  /** Jobs that failed last time, and which one of all jobs called here each was; the oldest first. */
  const failed = new Map<string, number>();

  /** @param lately of so many jobs, just so large a part are as many failures as are needed */
  function forget(lately: number): void {
    for (const [jobId, number] of failed) {
      if (number > called - lately) return;
      failed.delete(jobId);
    }
  }

  return {
    onCalled: ({ jobId, sign }, state, { afterFailures, failureRate }) => {
      if (state === 'open' || state === 'disabled') {
        called = 0;
        failed.clear();
        return false;
      }
      const lately = Math.floor(afterFailures / failureRate);
      forget(lately);
      if (sign === 'answers' && !failed.delete(jobId)) called++;
      if (sign !== 'fails' || failed.has(jobId)) return false;
      failed.set(jobId, ++called);
      forget(lately);
      // A host that has just come back is believed half as much as one that was well all the time.
      const needed = state === 'closing' ? Math.ceil(afterFailures / 2) : afterFailures;
      if (failed.size < needed || failed.size < failureRate * Math.min(called, lately)) return false;
      called = 0;
      failed.clear();
      return true;
    },
  };
}

/** Jobs brought back first, when a host answers again. */
const firstBroughtBack = 10;
const maxBroughtBack = 10_000;

/**
 * How many sidelined jobs are brought back in the second that begins so long after their host answered: it doubles each
 * second.
 */
export function broughtBack(sinceMs: number): number {
  return Math.min(maxBroughtBack, firstBroughtBack * 2 ** Math.floor(Math.max(0, sinceMs) / 1000));
}

/** A host that failed for a moment is tried soon; the longer it is left alone, the less often. */
const firstProbeMs = 1000;

/** Until the next try of a host that was put aside so long ago. */
export function probeInMs(openForMs: number, probeEveryMs: number): number {
  return Math.min(probeEveryMs, Math.max(firstProbeMs, openForMs));
}
