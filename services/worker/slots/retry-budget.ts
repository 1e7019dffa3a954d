/** What is counted, in slices of a second. */
const windowSeconds = 10;
/** Retries in a window that nobody has to earn. */
const floorRetries = 20;

/**
 * Bounds the retries of a shard on this worker: those that were not answered, in the last ten seconds, may be at most a share of the calls in
 * that time, and a few more. So an endpoint that is dying is not called twice for everything that it could not do once; one that answers gets
 * as many as there are.
 */
export interface RetryBudget {
  /** A call begins that is no retry. */
  onCall(nowMs: number): void;
  /** Whether a retry may be made now; it then counts as a call too. @returns what to give back when it is answered; null when it may not */
  take(nowMs: number): number | null;
  /** The retry was answered: it was worth its call. */
  giveBack(taken: number): void;
  /** From now on. */
  allow(percent: number): void;
}

/** @param initialPercent of the calls */
export function createRetryBudget(initialPercent: number): RetryBudget {
  let percent = initialPercent;
  const calls = new Float64Array(windowSeconds);
  const retries = new Float64Array(windowSeconds);
  let current = 0;
  let callsInWindow = 0;
  let retriesInWindow = 0;

  function moveTo(second: number): void {
    for (let steps = Math.min(windowSeconds, second - current); steps > 0; steps--) {
      const slot = (second - steps + 1) % windowSeconds;
      callsInWindow -= calls[slot] ?? 0;
      retriesInWindow -= retries[slot] ?? 0;
      calls[slot] = retries[slot] = 0;
    }
    current = Math.max(current, second);
  }

  function count(second: number): void {
    const slot = second % windowSeconds;
    calls[slot] = (calls[slot] ?? 0) + 1;
    callsInWindow++;
  }

  return {
    onCall: (nowMs) => {
      const second = Math.floor(nowMs / 1000);
      moveTo(second);
      count(second);
    },
    take: (nowMs) => {
      const second = Math.floor(nowMs / 1000);
      moveTo(second);
      if (retriesInWindow >= floorRetries + (callsInWindow * percent) / 100) return null;
      count(second);
      const slot = second % windowSeconds;
      retries[slot] = (retries[slot] ?? 0) + 1;
      retriesInWindow++;
      return second;
    },
    giveBack: (taken) => {
      if (taken <= current - windowSeconds) return;
      const slot = taken % windowSeconds;
      retries[slot] = (retries[slot] ?? 0) - 1;
      retriesInWindow--;
    },
    allow: (next) => {
      percent = next;
    },
  };
}
