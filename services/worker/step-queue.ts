import type { Lane } from '../../shared/ports/message-bus.ts';
import type { QueuedStep } from './work.ts';

/** Steps taken from one group before the next one has its turn. */
const quantum = 10;

/**
 * Steps that wait to be claimed. They are handed out in turn over the groups (feed, step) of an action type: a small campaign does not wait
 * behind a large one, and the second step of a run is not kept back until its first is done.
 */
export interface StepQueue {
  readonly size: number;
  add(steps: readonly QueuedStep[]): void;
  /** At most `count` steps of the action type, in the order in which they are due to be claimed. */
  take(actionType: string, count: number): QueuedStep[];
  /** Puts back what could not be claimed, in front. */
  putBack(steps: readonly QueuedStep[]): void;
  /** Drops the steps that came over a lane which is gone: they will come again, to whoever has it now. */
  drop(lane: Lane): void;
  clear(): void;
}

interface Group {
  steps: QueuedStep[];
}

export function createStepQueue(): StepQueue {
  /** Action type → groups by name, in the order of their turns: a Map keeps it, and who had a turn goes to its end. */
  const types = new Map<string, Map<string, Group>>();
  let size = 0;

  function groupOf({ actionType, feedId, step }: QueuedStep): Group {
    const groups = types.get(actionType) ?? new Map<string, Group>();
    types.set(actionType, groups);
    const name = `${feedId}/${step}`;
    const group = groups.get(name) ?? { steps: [] };
    groups.set(name, group);
    return group;
  }

  function take(actionType: string, count: number): QueuedStep[] {
    const groups = types.get(actionType);
    const taken: QueuedStep[] = [];
    while (groups && groups.size > 0 && taken.length < count) {
      for (const [name, group] of groups) {
        const wanted = Math.min(quantum, count - taken.length);
        taken.push(...group.steps.splice(0, wanted));
        groups.delete(name);
        if (group.steps.length > 0) groups.set(name, group);
        if (taken.length >= count) break;
      }
    }
    size -= taken.length;
    return taken;
  }

  return {
    get size() {
      return size;
    },
    add: (steps) => {
      for (const step of steps) groupOf(step).steps.push(step);
      size += steps.length;
    },
    take,
    putBack: (steps) => {
      for (const step of steps.toReversed()) groupOf(step).steps.unshift(step);
      size += steps.length;
    },
    drop: (lane) => {
      for (const groups of types.values()) {
        for (const [name, group] of groups) {
          const kept = group.steps.filter((step) => step.origin.record.lane !== lane);
          size -= group.steps.length - kept.length;
          group.steps = kept;
          if (kept.length === 0) groups.delete(name);
        }
      }
    },
    clear: () => {
      types.clear();
      size = 0;
    },
  };
}
