/**
 * Duration of a read in milliseconds from which it counts as slow. Causes are a standstill of Postgres or of this
 * process, or an overload of Postgres.
 */
const slowFromMs = 1000;
/**
 * Minimum time in milliseconds between two reported ends of standstills, because the reaction to each costs Postgres
 * time.
 */
const betweenMs = 10_000;

/** Detects standstills of Postgres or of this process, by the duration of regular reads. */
export interface Standstills {
  /**
   * Records a read. Returns true if a standstill has ended, which means that this read is fast and an earlier one was
   * slow. Slow reads themselves report nothing: if Postgres is overloaded, the reaction would increase its load. If the
   * last reported end was less than `betweenMs` ago, the first fast read after that time reports this end.
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
