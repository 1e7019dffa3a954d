import type { FailureLimits } from '../ports/client-terms.ts';

export type HostSign = 'answers' | 'fails' | 'gone' | 'none';

/** State of a host for all dispatchers. `closed` has no row. */
export type HostState = 'closed' | 'open' | 'closing' | 'disabled';

/** Counts the jobs called at one host of one client, and the failed ones among them. */
export interface HostBreaker {
  /** @returns true if so many have failed by now that the host's jobs must be sidelined */
  onCalled(call: { jobId: string; sign: HostSign }, state: HostState, limits: FailureLimits): boolean;
}

export function createHostBreaker(): HostBreaker {
  let called = 0;
  /** Jobs that failed in their last call, with the running number of that call here; the oldest first. */
  const failed = new Map<string, number>();

  /** @param lately number of jobs of which the needed failures are exactly the failure rate */
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
      // A host that has just come back needs only half as many failures as one that was well all the time.
      const needed = state === 'closing' ? Math.ceil(afterFailures / 2) : afterFailures;
      if (failed.size < needed || failed.size < failureRate * Math.min(called, lately)) return false;
      called = 0;
      failed.clear();
      return true;
    },
  };
}

/** Jobs released first when a host answers again. */
const firstBroughtBack = 10;
const maxBroughtBack = 10_000;

/** Returns how many sidelined jobs to release in the second after `sinceMs`: the number doubles each second. */
export function broughtBack(sinceMs: number): number {
  return Math.min(maxBroughtBack, firstBroughtBack * 2 ** Math.floor(Math.max(0, sinceMs) / 1000));
}

/** Milliseconds until the first probe of a host. The longer its circuit is open, the less often it is probed. */
const firstProbeMs = 1000;

/** Returns the milliseconds until the next probe of a host whose circuit has been open for `openForMs`. */
export function probeInMs(openForMs: number, probeEveryMs: number): number {
  return Math.min(probeEveryMs, Math.max(firstProbeMs, openForMs));
}
