import { createWatermark, type Watermark } from '../domain/watermark.ts';
import type { Lane, LaneMessage } from '../ports/message-bus.ts';

/** A message as the client hands it over. */
export interface FetchedMessage {
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
}

export interface Delivery {
  lane: Lane;
  messages: LaneMessage[];
  /** The lane has enough: fetch nothing more for it until `settle` asks for it. */
  full: boolean;
}

export interface LanePosition {
  lane: Lane;
  /** Everything below it is settled. */
  offset: number;
}

/** What one consumer knows of the partitions assigned to it: what was delivered, what is settled, how far it may commit. */
export interface Lanes {
  /** Starts a lane for each partition, in place of all lanes so far, which it returns. */
  assign(partitionsByTopic: Readonly<Record<string, readonly number[]>>): Lane[];
  /** Undefined when these messages must not be taken now; fetching goes on from where the partition stands. */
  deliver(topic: string, partition: number, fetched: readonly FetchedMessage[]): Delivery | undefined;
  /** The lane if it was full and wants messages again. */
  settle(message: LaneMessage): Lane | undefined;
  /** Lanes that have settled more than was committed. */
  uncommitted(): LanePosition[];
  committed(positions: readonly LanePosition[]): void;
}

interface LaneState {
  readonly lane: Lane;
  readonly watermark: Watermark;
  begun: boolean;
  full: boolean;
  committed: number;
}

export interface LaneMarks {
  /** Unsettled messages from which a lane is full. */
  highMark: number;
  /** Unsettled messages below which a full lane wants more. */
  lowMark: number;
}

export function createLanes({ highMark, lowMark }: LaneMarks): Lanes {
  const byLane = new Map<Lane, LaneState>();
  let byPartition = new Map<string, LaneState>();
  /** By partition, the offset behind the last message delivered on any lane of this consumer. */
  const reached = new Map<string, number>();
  let assignment = 0;

  /**
   * kafkajs may hand over, right after an assignment, what it fetched before it, from where the old lane stood. Taking that would pass over
   * what the old lane had not settled. So if a lane begins no earlier than the one before it ended, its first messages are fetched again.
   */
  function isLeftOver(state: LaneState, key: string, firstOffset: number): boolean {
    if (state.begun) return false;
    state.begun = true;
    const end = reached.get(key);
    return end !== undefined && firstOffset >= end;
  }

  return {
    assign: (partitionsByTopic) => {
      const revoked = [...byLane.keys()];
      byLane.clear();
      byPartition = new Map();
      assignment += 1;
      for (const [topic, partitions] of Object.entries(partitionsByTopic)) {
        for (const partition of partitions) {
          const lane = { topic, partition, assignment };
          const state = { lane, watermark: createWatermark(), begun: false, full: false, committed: 0 };
          byLane.set(lane, state);
          byPartition.set(keyOf(topic, partition), state);
        }
      }
      return revoked;
    },

    deliver: (topic, partition, fetched) => {
      const key = keyOf(topic, partition);
      const state = byPartition.get(key);
      const first = fetched[0];
      if (!state || !first || isLeftOver(state, key, Number(first.offset))) return undefined;
      const { lane, watermark } = state;
      // Where a lane begins is where the group stands, so there is nothing to commit yet.
      if (watermark.position === undefined) state.committed = Number(first.offset);
      const messages = fetched.map(({ offset, key: messageKey, value }) => {
        const message = { lane, offset: Number(offset), key: messageKey, value };
        watermark.deliver(message.offset);
        return message;
      });
      reached.set(key, (messages.at(-1)?.offset ?? 0) + 1);
      state.full = watermark.unsettled >= highMark;
      return { lane, messages, full: state.full };
    },

    settle: ({ lane, offset }) => {
      const state = byLane.get(lane);
      if (!state?.watermark.settle(offset)) return undefined;
      if (!state.full || state.watermark.unsettled >= lowMark) return undefined;
      state.full = false;
      return lane;
    },

    uncommitted: () => {
      const positions: LanePosition[] = [];
      for (const { lane, watermark, committed } of byLane.values()) {
        const offset = watermark.position;
        if (offset !== undefined && offset > committed) positions.push({ lane, offset });
      }
      return positions;
    },

    committed: (positions) => {
      for (const { lane, offset } of positions) {
        const state = byLane.get(lane);
        if (state) state.committed = offset;
      }
    },
  };
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
