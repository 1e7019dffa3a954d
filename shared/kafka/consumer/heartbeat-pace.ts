import { heartbeatIntervalMs } from './waiting-fetches.ts';

/**
 * Limit of one heartbeat per second for a member. The limit uses monotonic time: kafkajs compares wall clock times, and
 * sends no heartbeat for an hour after the clock has been set back by an hour.
 */
export interface HeartbeatPace {
  send(heartbeat: () => Promise<unknown>): Promise<unknown>;
  /** Sends the heartbeat, or resolves without one if the last one is less than a second old. */
  sendIfDue(heartbeat: () => Promise<unknown>): Promise<unknown>;
}

export function createHeartbeatPace(monotonicMs = () => performance.now()): HeartbeatPace {
  let sentAtMs = -Infinity;

  async function send(heartbeat: () => Promise<unknown>): Promise<unknown> {
    sentAtMs = monotonicMs();
    try {
      return await heartbeat();
    } catch (error) {
      // The next heartbeat follows at once and must not be suppressed, because kafkajs has to receive the coordinator's
      // refusal.
      sentAtMs = -Infinity;
      throw error;
    }
  }

  return {
    send,
    sendIfDue: async (heartbeat) => {
      if (monotonicMs() >= sentAtMs + heartbeatIntervalMs) return await send(heartbeat);
      return undefined;
    },
  };
}
