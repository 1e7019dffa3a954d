import type { Clock } from '../../ports/clock.ts';

/** Between two attempts to publish to a topic that has failed; it doubles while they fail. */
const probePausesMs = { first: 500, longest: 5_000 };

interface Circuit {
  cause: unknown;
  probeAtMs: number;
  pauseMs: number;
}

/** Topics that cannot be published to, so that no caller waits to hear it again. */
export interface TopicCircuits {
  /** Why the topic is given up; undefined for one that is not. */
  openedBy(topic: string): { cause: unknown } | undefined;
  /** True for the one who shall try now whether the topic is back, and must report by `fail` or `close`. */
  takeProbe(topic: string): boolean;
  fail(topic: string, cause: unknown): void;
  close(topic: string): void;
  /** The topic may be back: the next one may try at once. */
  hope(topic: string): void;
}

export function createTopicCircuits({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): TopicCircuits {
  const open = new Map<string, Circuit>();
  return {
    openedBy: (topic) => open.get(topic),
    takeProbe: (topic) => {
      const circuit = open.get(topic);
      if (!circuit || clock.monotonicMs() < circuit.probeAtMs) return false;
      // No other caller while this attempt lasts.
      circuit.probeAtMs = Infinity;
      return true;
    },
    fail: (topic, cause) => {
      const before = open.get(topic);
      const pauseMs = before ? Math.min(2 * before.pauseMs, probePausesMs.longest) : probePausesMs.first;
      open.set(topic, { cause, pauseMs, probeAtMs: clock.monotonicMs() + pauseMs });
    },
    close: (topic) => void open.delete(topic),
    hope: (topic) => {
      const circuit = open.get(topic);
      if (circuit && circuit.probeAtMs !== Infinity) circuit.probeAtMs = clock.monotonicMs();
    },
  };
}
