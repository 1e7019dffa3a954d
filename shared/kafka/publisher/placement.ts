import type { PartitionOffsets } from '../cluster/offset-reader.ts';

/** Upper bound on a rate's ratio to the mean: a partition without progress gets few messages, but some. */
const maxSlowness = 8;

const newRateWeight = 0.3;

interface PartitionState {
  /** Messages published and not committed, at the last check. */
  unhandled: number;
  /** Messages placed here since that check began. */
  placed: number;
  committed: number;
  /** Messages handled per second while there was work; undefined before the first measurement. */
  rate: number | undefined;
  slowness: number;
}

interface TopicState {
  partitions: Map<number, PartitionState>;
  /** Position of the round-robin that decides between equals. */
  turn: number;
  readAtMs: number | undefined;
}

/**
 * Placement of messages without a key: in the partition that is done soonest, by its unhandled messages and its recent
 * rate. A slow, frozen or new worker thus gets as much as it can handle. Without known offsets, partitions take turns.
 */
export interface Placement {
  choose(topic: string, partitions: readonly number[]): number;
  /**
   * Begins a check of offsets. The caller passes the offsets to the returned function. They do not include messages
   * placed in between.
   */
  beginRead(topic: string): (offsets: readonly PartitionOffsets[]) => void;
}

export function createPlacement({ monotonicMs }: { monotonicMs: () => number }): Placement {
  const topics = new Map<string, TopicState>();

  function stateOf(topic: string): TopicState {
    let state = topics.get(topic);
    if (!state) topics.set(topic, (state = { partitions: new Map(), turn: 0, readAtMs: undefined }));
    return state;
  }

  return {
    choose: (topic, partitions) => {
      const state = stateOf(topic);
      const chosen = leastLoaded(
        partitions.map((id) => loadOf(state.partitions.get(id))),
        state.turn,
      );
      state.turn = chosen + 1;
      const id = partitions[chosen] ?? 0;
      partitionOf(state, id).placed += 1;
      return id;
    },

    beginRead: (topic) => {
      const state = stateOf(topic);
      const placedBefore = new Map(Array.from(state.partitions, ([id, { placed }]) => [id, placed]));
      return (offsets) => {
        const nowMs = monotonicMs();
        const elapsedMs = state.readAtMs === undefined ? undefined : nowMs - state.readAtMs;
        for (const { partition, committed, end } of offsets) {
          const known = partitionOf(state, partition);
          // The rate of a partition without work does not show the speed of its worker.
          if (elapsedMs !== undefined && known.unhandled > 0) {
            known.rate = mixed(known.rate, (1000 * Math.max(0, committed - known.committed)) / Math.max(1, elapsedMs));
          }
          known.unhandled = Math.max(0, end - committed);
          known.placed -= placedBefore.get(partition) ?? 0;
          known.committed = committed;
        }
        state.readAtMs = nowMs;
        compareRates([...state.partitions.values()]);
      };
    },
  };
}

/** Returns the index of the least load; among equals the first from `turn` on, wrapping around. */
export function leastLoaded(loads: readonly number[], turn: number): number {
  let least = turn % Math.max(1, loads.length);
  for (let i = 1; i < loads.length; i++) {
    const index = (turn + i) % loads.length;
    if ((loads[index] ?? Infinity) < (loads[least] ?? Infinity)) least = index;
  }
  return least;
}

function partitionOf(state: TopicState, id: number): PartitionState {
  let known = state.partitions.get(id);
  if (!known) {
    known = { unhandled: 0, placed: 0, committed: 0, rate: undefined, slowness: 1 };
    state.partitions.set(id, known);
  }
  return known;
}

/** Returns a load proportional to the time until one more message would be handled. */
function loadOf(partition: PartitionState | undefined): number {
  return partition ? (partition.unhandled + partition.placed + 1) * partition.slowness : 1;
}

function mixed(before: number | undefined, now: number): number {
  return before === undefined ? now : before + newRateWeight * (now - before);
}

function compareRates(partitions: readonly PartitionState[]): void {
  const rates = partitions.map(({ rate }) => rate).filter((rate) => rate !== undefined);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length);
  for (const partition of partitions) {
    partition.slowness =
      partition.rate === undefined || mean === 0
        ? 1
        : Math.min(maxSlowness, Math.max(1 / maxSlowness, mean / Math.max(partition.rate, Number.EPSILON)));
  }
}
