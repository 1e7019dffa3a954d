import type { Lane } from '../../../shared/ports/message-bus.ts';
import { createStepFifo, type StepFifo } from '../step/step-fifo.ts';
import type { QueuedStep } from '../step/work.ts';

/** Steps taken from one group per turn. */
const quantum = 10;
/**
 * Upper bound on the queued steps over all partitions, about 150 bytes each. A shard may use at most half of the space
 * that the other shards leave free. A backlog on one topic therefore does not keep other shards out.
 */
const maxQueuedSteps = 200_000;

/**
 * Queue of steps to claim. The groups (feed, step) of a shard take turns: a small campaign does not wait behind a large
 * one, and the second step of a run is not delayed until its first is done.
 */
export interface StepQueue {
  readonly size: number;
  sizeOf(topic: string): number;
  /** Returns whether this many more steps of a shard may be added. If not, the steps are left to the sweeper. */
  hasRoom(topic: string, steps: number): boolean;
  add(steps: readonly QueuedStep[]): void;
  /** Takes at most `count` steps of the shard, in turn. @param rooms upper bound for each step of a feed */
  take(topic: string, count: number, rooms: StepRooms): QueuedStep[];
  topics(): Iterable<string>;
  /** Puts steps that could not be claimed back at the front. */
  putBack(steps: readonly QueuedStep[]): void;
  /**
   * Drops the steps from a revoked lane (an assignment of a partition). Kafka delivers them again, to the new worker of
   * the partition.
   */
  drop(lane: Lane): void;
  clear(): void;
}

export interface StepRooms {
  of(feedId: string, step: number): number;
  use(feedId: string, step: number, count: number): void;
}

type Group = StepFifo<QueuedStep>;

export function createStepQueue(): StepQueue {
  /**
   * Groups by topic and then by name. The order of the inner Map is the order of turns: a group moves to the end after
   * its turn.
   */
  const shards = new Map<string, Map<string, Group>>();
  const sizes = new Map<string, number>();
  let size = 0;

  function grow(topic: string, by: number): void {
    size += by;
    sizes.set(topic, (sizes.get(topic) ?? 0) + by);
  }

  function groupOf({ topic, feedId, step }: QueuedStep): Group {
    let groups = shards.get(topic);
    if (!groups) shards.set(topic, (groups = new Map<string, Group>()));
    const name = `${feedId}/${step}`;
    let group = groups.get(name);
    if (!group) groups.set(name, (group = createStepFifo<QueuedStep>()));
    return group;
  }

  function take(topic: string, count: number, rooms: StepRooms): QueuedStep[] {
    const groups = shards.get(topic);
    if (!groups) return [];
    const taken: QueuedStep[] = [];
    // Consecutive turns in which a group yielded no step. After a whole round of such turns, no group has room.
    let inVain = 0;
    while (taken.length < count && inVain < groups.size) {
      const [entry] = groups;
      if (!entry) break;
      const [name, group] = entry;
      const border = name.lastIndexOf('/');
      const [feedId, step] = [name.slice(0, border), Number(name.slice(border + 1))];
      const steps = group.take(Math.min(quantum, count - taken.length, rooms.of(feedId, step)));
      rooms.use(feedId, step, steps.length);
      for (const step of steps) taken.push(step);
      inVain = steps.length > 0 ? 0 : inVain + 1;
      groups.delete(name);
      if (group.size > 0) groups.set(name, group);
    }
    if (groups.size === 0) shards.delete(topic);
    grow(topic, -taken.length);
    return taken;
  }

  return {
    get size() {
      return size;
    },
    sizeOf: (topic) => sizes.get(topic) ?? 0,
    hasRoom: (topic, steps) => {
      const own = sizes.get(topic) ?? 0;
      return own + steps <= (maxQueuedSteps - (size - own)) / 2;
    },
    add: (steps) => {
      for (const step of steps) {
        groupOf(step).push(step);
        grow(step.topic, 1);
      }
    },
    take,
    topics: () => shards.keys(),
    putBack: (steps) => {
      const byGroup = Map.groupBy(steps, groupOf);
      for (const [group, own] of byGroup) group.putBack(own);
      for (const { topic } of steps) grow(topic, 1);
    },
    drop: (lane) => {
      for (const [topic, groups] of shards) {
        for (const [name, group] of groups) {
          grow(topic, -group.keep((step) => step.origin?.message.lane !== lane));
          if (group.size === 0) groups.delete(name);
        }
      }
    },
    clear: () => {
      shards.clear();
      sizes.clear();
      size = 0;
    },
  };
}
