import { deadAfterMs } from '../../shared/ports/job-nodes.ts';

/**
 * Maximum time in milliseconds between the last check of the heartbeat and the moment at which a call's request is
 * sent.
 */
const marginMs = 1000;

/** Determines the time until which other processes consider this one alive. Afterwards, they may claim its jobs. */
export interface Heartbeat {
  /**
   * Reports that a heartbeat was stored.
   * @param requestedAtMs monotonic time at which this process sent the heartbeat. The database stores the heartbeat at
   * this time or later, so the returned `aliveUntilMs` is never too late.
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
