import type { PartitionOffsets } from '../cluster/offset-look.ts';

/**
 * A partition's rate counts as at most this many times slower or faster than the mean: one that stands still gets
 * little, not nothing.
 */
const maxSlowness = 8;

/** How much a new measurement of a rate weighs against what was known. */
const newRateWeight = 0.3;

interface PartitionState {
  /** Published and not committed, at the last look. */
  unhandled: number;
  /** Placed here since that look began. */
  placed: number;
  committed: number;
  /** Messages handled per second while there was work; undefined until measured. */
  rate: number | undefined;
  slowness: number;
}

interface TopicState {
  partitions: Map<number, PartitionState>;
  /** Where the round stands that decides between equals. */
  turn: number;
  lookedAtMs: number | undefined;
}

/**
 * Where messages without a key go: to the partition whose work is done soonest, by what lies unhandled in it and how
 * fast that has been going. A worker that is slow, frozen or new then gets what it can handle. Without looks at the
 * offsets it goes round.
 */
export interface Placement {
  choose(topic: string, partitions: readonly number[]): number;
  /** Call the answer when a look at the topic's offsets has ended: what is placed in between is not yet in them. */
  beginLook(topic: string): (offsets: readonly PartitionOffsets[]) => void;
}

export function createPlacement({ monotonicMs }: { monotonicMs: () => number }): Placement {
  const topics = new Map<string, TopicState>();

  function stateOf(topic: string): TopicState {
    let state = topics.get(topic);
    if (!state) topics.set(topic, (state = { partitions: new Map(), turn: 0, lookedAtMs: undefined }));
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

    beginLook: (topic) => {
      const state = stateOf(topic);
      const placedBefore = new Map(Array.from(state.partitions, ([id, { placed }]) => [id, placed]));
      return (offsets) => {
        const nowMs = monotonicMs();
        const elapsedMs = state.lookedAtMs === undefined ? undefined : nowMs - state.lookedAtMs;
        for (const { partition, committed, end } of offsets) {
          const known = partitionOf(state, partition);
          // The rate of a partition without work says nothing about who works on it.
          if (elapsedMs !== undefined && known.unhandled > 0) {
            known.rate = mixed(known.rate, (1000 * Math.max(0, committed - known.committed)) / Math.max(1, elapsedMs));
          }
          known.unhandled = Math.max(0, end - committed);
          known.placed -= placedBefore.get(partition) ?? 0;
          known.committed = committed;
        }
        state.lookedAtMs = nowMs;
        compareRates([...state.partitions.values()]);
      };
    },
  };
}

/** The index of the least load; among equals the first from `turn` on, going round. */
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

/** Proportional to the time until one message more would be handled. */
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
