import { describe, expect, it } from 'vitest';
import type { Lane } from '../../shared/ports/message-bus.ts';
import { createStepQueue } from './step-queue.ts';
import type { QueuedStep } from './work.ts';

function laneOf(partition: number): Lane {
  return { topic: 'muster.award-reward.SG', partition, assignment: 1 };
}

function stepsOf(feedId: string, count: number, changes: { step?: number; actionType?: string; lane?: Lane } = {}) {
  const { step = 1, actionType = 'award-reward', lane = laneOf(0) } = changes;
  const origin = { record: { lane, offset: 0, key: null, value: null }, open: count };
  return Array.from({ length: count }, (_, index): QueuedStep => {
    return { feedId, batchNo: index + 1, step, actionType, origin, remaining: 100, lost: [] };
  });
}

const namesOf = (steps: readonly QueuedStep[]) =>
  steps.map(({ feedId, step, batchNo }) => `${feedId}/${step}/${batchNo}`);
const feedsOf = (steps: readonly QueuedStep[]) => [...new Set(steps.map(({ feedId }) => feedId))];

describe('the queue of steps', () => {
  it('hands out the steps of a group in their order', () => {
    const queue = createStepQueue();
    queue.add(stepsOf('a', 25));
    const all = [...queue.take('award-reward', 4), ...queue.take('award-reward', 100)];
    expect(namesOf(all)).toEqual(namesOf(stepsOf('a', 25)));
    expect(queue.size).toBe(0);
  });

  it('lets a small group have its turn before a large one that came first is through', () => {
    const queue = createStepQueue();
    queue.add(stepsOf('large', 1000));
    queue.add(stepsOf('small', 3));
    expect(feedsOf(queue.take('award-reward', 20))).toEqual(['large', 'small']);
  });

  it('goes on with the turns from one take to the next', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('a', 30), ...stepsOf('b', 30), ...stepsOf('c', 30)]);
    expect([1, 2, 3, 4].map(() => feedsOf(queue.take('award-reward', 10)))).toEqual([['a'], ['b'], ['c'], ['a']]);
  });

  it('does not keep the second step of a feed back until its first is done', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('a', 100), ...stepsOf('a', 5, { step: 2 })]);
    expect(queue.take('award-reward', 20).filter(({ step }) => step === 2)).toHaveLength(5);
  });

  it('keeps action types apart', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('a', 5), ...stepsOf('b', 5, { actionType: 'send-message' })]);
    expect(feedsOf(queue.take('send-message', 100))).toEqual(['b']);
    expect(queue.take('award-points', 100)).toEqual([]);
    expect(queue.size).toBe(5);
  });

  it('hands out first what was put back, in the order it had', () => {
    const queue = createStepQueue();
    queue.add(stepsOf('a', 10));
    const taken = queue.take('award-reward', 4);
    queue.putBack(taken);
    expect(namesOf(queue.take('award-reward', 10))).toEqual(namesOf(stepsOf('a', 10)));
  });

  it('drops what came over a lane that is gone, and nothing else', () => {
    const queue = createStepQueue();
    const [gone, kept] = [laneOf(0), laneOf(1)];
    queue.add([
      ...stepsOf('a', 5, { lane: gone }),
      ...stepsOf('b', 5, { lane: kept }),
      ...stepsOf('a', 2, { lane: kept }),
    ]);
    queue.drop(gone);
    expect(queue.size).toBe(7);
    expect(feedsOf(queue.take('award-reward', 100))).toEqual(['a', 'b']);
  });
});
