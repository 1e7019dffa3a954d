import { deadAfterMs } from '../../shared/ports/job-nodes.ts';

/** So long a call may take from the last look at the heartbeat to the wire. */
const marginMs = 1000;

/** Until when this process is alive for others, as far as it knows: then they may take what it claimed. */
export interface Heartbeat {
  /** @param askedMs when the beat that was stored was sent, by the monotonic clock: the database counts from later */
  beaten(askedMs: number): void;
  /** By the monotonic clock, which goes on while the process is frozen. */
  aliveUntilMs(): number;
}

export function createHeartbeat(): Heartbeat {
  let aliveUntilMs = -Infinity;
  return {
    beaten: (askedMs) => {
      aliveUntilMs = askedMs + deadAfterMs - marginMs;
    },
    aliveUntilMs: () => aliveUntilMs,
  };
}
