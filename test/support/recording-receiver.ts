import type { Lane, LaneReceiver, LaneMessage } from '../../shared/ports/message-bus.ts';

/** Receiver that records messages, settles none by itself, and lets a test wait for messages. */
export interface RecordingReceiver extends LaneReceiver {
  readonly delivered: readonly LaneMessage[];
  readonly revoked: readonly Lane[];
  /** Values delivered so far, in the order of their arrival. */
  values(): string[];
  /** Resolves as soon as the condition holds. Checks it when a message arrives or a lane is revoked. */
  until(condition: () => boolean): Promise<void>;
  /** Resolves with the first `count` messages. */
  first(count: number): Promise<readonly LaneMessage[]>;
}

export function createRecordingReceiver(): RecordingReceiver {
  const delivered: LaneMessage[] = [];
  const revoked: Lane[] = [];
  let waiting: { condition: () => boolean; resolve: () => void }[] = [];

  function wake(): void {
    const held = waiting.filter(({ condition }) => condition());
    waiting = waiting.filter((waiter) => !held.includes(waiter));
    for (const { resolve } of held) resolve();
  }

  function until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      waiting.push({ condition, resolve });
      wake();
    });
  }

  return {
    delivered,
    revoked,
    deliver: (_lane, messages) => {
      delivered.push(...messages);
      wake();
    },
    revoke: (lane) => {
      revoked.push(lane);
      wake();
    },
    isCrowded: () => false,
    values: () => delivered.map(valueOf),
    until,
    first: async (count) => {
      await until(() => delivered.length >= count);
      return delivered.slice(0, count);
    },
  };
}

export function valueOf({ value }: LaneMessage): string {
  return value?.toString() ?? '';
}
