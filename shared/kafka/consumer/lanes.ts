import { createWatermark, type Watermark } from '../../domain/watermark.ts';
import type { Lane, LaneMessage } from '../../ports/message-bus.ts';

export interface FetchedMessage {
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
}

export interface Delivery {
  lane: Lane;
  messages: LaneMessage[];
}

export interface Taken {
  /** Messages that the lane gets now; the rest is held back. Undefined if the lane has no room. */
  delivery: Delivery | undefined;
  /** The previous lane, if the partition has begun anew: its topic was deleted and created again. */
  ended: Lane | undefined;
  /** True if the lane has enough messages: fetch no more for it until it wants more. */
  full: boolean;
}

export interface LanePosition {
  lane: Lane;
  /** Offset below which all messages are settled. */
  offset: number;
}

export interface LaneView {
  lane: Lane;
  /** Offset after the last message that was taken; undefined before the first one. */
  next: number | undefined;
  unsettled: number;
  held: number;
  full: boolean;
}

/** Delivery state of the partitions assigned to one consumer, by lane, and how far the consumer may commit. */
export interface Lanes {
  /** Ends all previous lanes, and starts a lane for each partition. @returns the previous lanes */
  assign(partitionsByTopic: Readonly<Record<string, readonly number[]>>): Lane[];
  /** Takes fetched messages. Returns undefined if they must not be taken now; the fetch then repeats. */
  take(topic: string, partition: number, fetched: readonly FetchedMessage[]): Taken | undefined;
  /**
   * Settles a message.
   * @returns the lane if it was full and wants more messages: those that are held back, and then new ones
   */
  settle(message: LaneMessage): Lane | undefined;
  /** Returns the next messages that are held back, up to the mark; undefined if there are none, or no room. */
  give(lane: Lane): Delivery | undefined;
  /** Returns whether to fetch the lane again; true once after it was full. */
  wantsMore(lane: Lane): boolean;
  /** Returns the lanes that have settled more than was committed. */
  uncommitted(): LanePosition[];
  committed(positions: readonly LanePosition[]): void;
  dropHeld(): void;
  view(): LaneView[];
  /** Messages delivered and not settled, or held back, over all lanes. */
  readonly open: number;
  /** Bytes of the messages held back, over all lanes. */
  readonly heldBytes: number;
}

interface LaneState {
  readonly lane: Lane;
  readonly watermark: Watermark;
  held: LaneMessage[];
  /** Number of messages at the front of `held` that have been delivered. */
  given: number;
  begun: boolean;
  full: boolean;
  next: number | undefined;
  committed: number;
}

export interface LaneMarks {
  /** Upper bound on the unsettled messages of a lane. */
  highMark: number;
  /** Unsettled messages below which a lane gets more. */
  lowMark: number;
}

export function createLanes({ highMark, lowMark }: LaneMarks): Lanes {
  const byLane = new Map<Lane, LaneState>();
  const byPartition = new Map<string, LaneState>();
  /** Offset after the last message taken on any lane of this consumer, by partition. */
  const reached = new Map<string, number>();
  let assignment = 0;
  let open = 0;
  let heldBytes = 0;

  function begin(topic: string, partition: number): LaneState {
    const state: LaneState = {
      lane: { topic, partition, assignment },
      watermark: createWatermark(),
      held: [],
      given: 0,
      begun: false,
      full: false,
      next: undefined,
      committed: 0,
    };
    byLane.set(state.lane, state);
    byPartition.set(keyOf(topic, partition), state);
    return state;
  }

  function end(state: LaneState): void {
    open -= state.watermark.unsettled;
    drop(state);
    byLane.delete(state.lane);
  }

  function drop(state: LaneState): void {
    for (let i = state.given; i < state.held.length; i++) heldBytes -= bytesOf(state.held[i]);
    open -= heldIn(state);
    state.held = [];
    state.given = 0;
  }

  /**
   * Returns true if the messages were fetched before the assignment, from the position of the old lane; kafkajs may
   * pass them on right after it. Taking them would skip the messages that the old lane had not settled. So if a lane
   * begins no earlier than the previous one ended, its first messages are fetched again.
   */
  function isLeftOver(state: LaneState, key: string, firstOffset: number): boolean {
    if (state.begun) return false;
    state.begun = true;
    const before = reached.get(key);
    return before !== undefined && firstOffset >= before;
  }

  function hold(state: LaneState, fetched: readonly FetchedMessage[]): void {
    const { lane } = state;
    for (const { offset, key, value } of fetched) {
      const message = { lane, offset: Number(offset), key: copyOf(key), value: copyOf(value) };
      state.held.push(message);
      heldBytes += bytesOf(message);
    }
    open += fetched.length;
    state.next = (state.held.at(-1)?.offset ?? 0) + 1;
    reached.set(keyOf(lane.topic, lane.partition), state.next);
  }

  function giveFrom(state: LaneState): Delivery | undefined {
    const { lane, watermark } = state;
    const messages = state.held.slice(state.given, state.given + Math.max(0, highMark - watermark.unsettled));
    if (messages.length === 0) return undefined;
    for (const message of messages) {
      watermark.deliver(message.offset);
      heldBytes -= bytesOf(message);
    }
    state.given += messages.length;
    if (state.given === state.held.length) {
      state.held = [];
      state.given = 0;
    }
    return { lane, messages };
  }

  return {
    assign: (partitionsByTopic) => {
      const revoked = [...byLane.keys()];
      for (const state of [...byLane.values()]) end(state);
      byPartition.clear();
      assignment += 1;
      for (const [topic, partitions] of Object.entries(partitionsByTopic)) {
        for (const partition of partitions) begin(topic, partition);
      }
      return revoked;
    },

    take: (topic, partition, fetched) => {
      const key = keyOf(topic, partition);
      const first = fetched[0];
      let state = byPartition.get(key);
      if (!state || !first || isLeftOver(state, key, Number(first.offset))) return undefined;
      let ended: Lane | undefined;
      if (state.next !== undefined && Number(first.offset) < state.next) {
        ended = state.lane;
        end(state);
        assignment += 1;
        state = begin(topic, partition);
        state.begun = true;
      }
      // A lane begins at the group's committed offset, so there is nothing to commit yet.
      if (state.next === undefined) state.committed = Number(first.offset);
      hold(state, fetched);
      const delivery = giveFrom(state);
      state.full = state.watermark.unsettled >= highMark || heldIn(state) > 0;
      return { delivery, ended, full: state.full };
    },

    settle: ({ lane, offset }) => {
      const state = byLane.get(lane);
      if (!state?.watermark.settle(offset)) return undefined;
      open -= 1;
      return state.full && state.watermark.unsettled < lowMark ? lane : undefined;
    },

    give: (lane) => {
      const state = byLane.get(lane);
      return state && giveFrom(state);
    },

    wantsMore: (lane) => {
      const state = byLane.get(lane);
      if (!state?.full || heldIn(state) > 0 || state.watermark.unsettled >= lowMark) return false;
      state.full = false;
      return true;
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

    dropHeld: () => {
      for (const state of byLane.values()) drop(state);
    },

    view: () =>
      Array.from(byLane.values(), (state) => ({
        lane: state.lane,
        next: state.next,
        unsettled: state.watermark.unsettled,
        held: heldIn(state),
        full: state.full,
      })),

    get open() {
      return open;
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}

/** Copies the bytes, because the bytes from kafkajs are a view that keeps the whole fetch answer in memory. */
function copyOf(bytes: Buffer | null): Buffer | null {
  return bytes && Buffer.from(bytes);
}

function heldIn({ held, given }: LaneState): number {
  return held.length - given;
}

function bytesOf(message: LaneMessage | undefined): number {
  return (message?.key?.length ?? 0) + (message?.value?.length ?? 0);
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
