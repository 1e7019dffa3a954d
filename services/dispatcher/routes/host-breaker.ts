import type { FailureLimits } from '../ports/client-terms.ts';

export type HostSign = 'answers' | 'fails' | 'gone' | 'none';

/** State of a host's circuit, which all dispatchers share. A closed circuit has no row in the database. */
export type HostState = 'closed' | 'open' | 'closing' | 'disabled';

/** Circuit breaker of one host of one client. Counts the recently called jobs, and how many of them failed. */
export interface HostBreaker {
  /** Counts a call. @returns true if so many jobs have failed that the circuit must open */
  onCalled(call: { jobId: string; sign: HostSign }, state: HostState, limits: FailureLimits): boolean;
}

export function createHostBreaker(): HostBreaker {
  let called = 0;
  /** Jobs whose last call failed, by id, oldest first. The value is the number of calls (`called`) at that time. */
  const failed = new Map<string, number>();

  /**
   * Removes failures that are too long ago to count.
   * @param lately number of recent jobs that count; among so many jobs, `afterFailures` failures are exactly the
   * failure rate
   */
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
      // While the host recovers, half as many failures open the circuit again.
      const needed = state === 'closing' ? Math.ceil(afterFailures / 2) : afterFailures;
      if (failed.size < needed || failed.size < failureRate * Math.min(called, lately)) return false;
      called = 0;
      failed.clear();
      return true;
    },
  };
}

/** Number of sidelined jobs that are released in the first second after a host answers again. */
const firstBroughtBack = 10;
const maxBroughtBack = 10_000;

/**
 * Returns the number of sidelined jobs to release now, if the circuit began to close `sinceMs` milliseconds ago. The
 * number doubles each second.
 */
export function broughtBack(sinceMs: number): number {
  return Math.min(maxBroughtBack, firstBroughtBack * 2 ** Math.floor(Math.max(0, sinceMs) / 1000));
}

/**
 * Milliseconds from the opening of a circuit until the first probe of its host. The longer the circuit is open, the
 * longer is the time between probes.
 */
const firstProbeMs = 1000;

/** Returns the milliseconds until the next probe of a host whose circuit has been open for `openForMs`. */
export function probeInMs(openForMs: number, probeEveryMs: number): number {
  return Math.min(probeEveryMs, Math.max(firstProbeMs, openForMs));
}
