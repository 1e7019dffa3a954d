import { deadAfterMs } from '../../shared/ports/job-nodes.ts';

/** Maximum time in milliseconds from the last check of the heartbeat until the request of a call is sent. */
const marginMs = 1000;

/** Determines the time until which other processes consider this one alive. Afterwards, they may claim its jobs. */
export interface Heartbeat {
  /**
   * Reports a stored heartbeat.
   * @param requestedAtMs monotonic time at which the heartbeat was sent; the database's count begins later, never
   * earlier
   */
  beaten(requestedAtMs: number): void;
  /**
   * Returns the time until which this process counts as alive, on the monotonic clock. That clock continues while the
   * process is frozen.
   */
  aliveUntilMs(): number;
}

export function createHeartbeat(): Heartbeat {
  let aliveUntilMs = -Infinity;
  return {
    beaten: (requestedAtMs) => {
      aliveUntilMs = requestedAtMs + deadAfterMs - marginMs;
    },
    aliveUntilMs: () => aliveUntilMs,
  };
}
