/** Duration of a read that shows a standstill of Postgres or of this process, or an overload of Postgres. */
const slowFromMs = 1000;
/** Shortest time between two reported ends, because each causes work for Postgres. */
const betweenMs = 10_000;

/** Standstills of Postgres, or of this process, as regular reads show them. */
export interface Standstills {
  /**
   * Returns true when a standstill is over: the first read that is quick again after a slow one. Slow reads alone may
   * mean an overload, which must not cause more load. A standstill that ends too soon after another one is over with
   * the first quick read after that time.
   * @param beganMs when the read began, by the monotonic clock
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
