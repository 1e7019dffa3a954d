import { deadAfterMs } from '../../shared/ports/job-nodes.ts';

/** Longest time from the last check of the heartbeat until a call is on the wire. */
const marginMs = 1000;

/** Time until which other processes count this one as alive, as far as it knows. Then they may take its claims. */
export interface Heartbeat {
  /**
   * Reports a stored beat.
   * @param requestedAtMs monotonic time at which the beat was sent: the database counts from later
   */
  beaten(requestedAtMs: number): void;
  /** Returns a monotonic time, which continues while the process is frozen. */
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
