import type { Lane } from '../../../shared/ports/message-bus.ts';
import { createStepFifo, type StepFifo } from '../step/step-fifo.ts';
import type { QueuedStep } from '../step/work.ts';

/** Maximum number of steps that one turn takes from a group. */
const quantum = 10;
/**
 * Upper bound on the queued steps over all partitions. Each takes about 150 bytes. A shard may use at most half of the
 * space that the other shards leave free, so that a backlog on one topic does not keep other shards out.
 */
const maxQueuedSteps = 200_000;

/**
 * Queue of steps to claim. A group consists of the queued steps of a feed with the same number. The groups of a shard
 * take turns. So a small campaign does not wait behind a large one, and the second step of a run does not wait until
 * the first is done for all batches.
 */
export interface StepQueue {
  readonly size: number;
  sizeOf(topic: string): number;
  /**
   * Returns true if so many more steps of a shard may be added. If not, the caller leaves them to the sweeper, which
   * offers them again.
   */
  hasRoom(topic: string, steps: number): boolean;
  add(steps: readonly QueuedStep[]): void;
  /**
   * Takes at most `count` steps of the shard, from its groups in turn.
   * @param rooms maximum number of steps that may be taken from each group
   */
  take(topic: string, count: number, rooms: StepRooms): QueuedStep[];
  topics(): Iterable<string>;
  /** Returns steps that could not be claimed to the front of the queue. */
  requeue(steps: readonly QueuedStep[]): void;
  /**
   * Drops the steps from a revoked lane (a partition that was assigned to this worker). Kafka delivers them again, to
   * the worker that gets the partition.
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
   * Groups by topic and then by name. The inner map is in the order of turns: after its turn, a group moves to the end.
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
    // Number of consecutive groups that could return no step. After a whole round without a step, no group can return
    // one.
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
    requeue: (steps) => {
      const byGroup = Map.groupBy(steps, groupOf);
      for (const [group, own] of byGroup) group.requeue(own);
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
