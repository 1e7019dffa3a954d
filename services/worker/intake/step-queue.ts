import type { Lane } from '../../../shared/ports/message-bus.ts';
import { createStepFifo, type StepFifo } from '../step/step-fifo.ts';
import type { QueuedStep } from '../step/work.ts';

/** Steps taken from one group before the next one has its turn. */
const quantum = 10;
/**
 * Steps queued over all lanes, some 150 bytes each. A shard has at most half of what is free beside it, so that none is
 * kept out by what lies on another's topic.
 */
const maxQueuedSteps = 200_000;

/**
 * Steps that wait to be claimed. They are handed out in turn over the groups (feed, step) of a shard: a small campaign
 * does not wait behind a large one, and the second step of a run is not kept back until its first is done.
 */
export interface StepQueue {
  readonly size: number;
  /** Of one shard. */
  sizeOf(topic: string): number;
  /** Whether so many more of a shard may be added. What comes beyond is left to the sweeper. */
  hasRoom(topic: string, steps: number): boolean;
  add(steps: readonly QueuedStep[]): void;
  /**
   * At most `count` steps of the shard, in the order in which they are due to be claimed.
   * @param rooms how many of each step of a feed at most
   */
  take(topic: string, count: number, rooms: StepRooms): QueuedStep[];
  /** Shards with steps that wait. */
  topics(): Iterable<string>;
  /** Puts back what could not be claimed, in front. */
  putBack(steps: readonly QueuedStep[]): void;
  /** Drops the steps that came over a lane which is gone: they will come again, to the worker that has it now. */
  drop(lane: Lane): void;
  clear(): void;
}

/** What room is left. */
export interface StepRooms {
  of(feedId: string, step: number): number;
  use(feedId: string, step: number, count: number): void;
}

type Group = StepFifo<QueuedStep>;

export function createStepQueue(): StepQueue {
  /** Topic → groups by name, in the order of their turns: a Map keeps it, and who had a turn goes to its end. */
  const shards = new Map<string, Map<string, Group>>();
  /** Of each shard, and of all. */
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
    // Turns in a row that brought nothing: after a whole round of them, no shard has room.
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
