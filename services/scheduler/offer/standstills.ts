/**
 * Duration of a read in milliseconds from which it counts as slow. Causes are a standstill of Postgres or of this
 * process, or an overload of Postgres.
 */
const slowFromMs = 1000;
/** Minimum time in milliseconds between two reported ends, because each causes work for Postgres. */
const betweenMs = 10_000;

/** Detects standstills of Postgres or of this process, by the duration of regular reads. */
export interface Standstills {
  /**
   * Records a read. Returns true if a standstill has ended: this read is fast again after a slow one. During slow
   * reads, nothing is reported, because they may be due to an overload that must not be increased. If the last reported
   * end is too recent, the next end is reported by the first fast read after `betweenMs`.
   * @param beganMs monotonic time at which the read began
   */
  isOver(beganMs: number, endedMs: number): boolean;
}

export function createStandstills(): Standstills {
  let [isPending, overAtMs] = [false, -Infinity];
  return {
    isOver: (beganMs, endedMs) => {
      if (endedMs - beganMs >= slowFromMs) isPending = true;
      else if (isPending && endedMs - overAtMs >= betweenMs) {
        [isPending, overAtMs] = [false, endedMs];
        return true;
      }
      return false;
    },
  };
}
