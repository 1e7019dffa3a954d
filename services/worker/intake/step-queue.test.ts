import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../shared/ports/message-bus.ts';
import { createStepQueue, type StepRooms } from './step-queue.ts';
import type { QueuedStep } from '../step/work.ts';

function laneOf(partition: number): Lane {
  return { topic: 'muster.award-reward.SG', partition, assignment: 1 };
}

const shard = 'muster.award-reward.SG';
const unlimited = { of: () => Number.POSITIVE_INFINITY, use: () => undefined };

/**
 * Returns the room for each step of a feed.
 * @param roomOf returns the maximum number of steps of a feed
 */
function roomsOf(roomOf: (feedId: string) => number): StepRooms {
  const used = new Map<string, number>();
  return {
    of: (feedId) => roomOf(feedId) - (used.get(feedId) ?? 0),
    use: (feedId, _step, count) => used.set(feedId, (used.get(feedId) ?? 0) + count),
  };
}

function stepsOf(feedId: string, count: number, changes: { step?: number; topic?: string; lane?: Lane } = {}) {
  const { step = 1, topic = shard, lane = laneOf(0) } = changes;
  const origin = { message: { lane, offset: 0, key: null, value: null }, open: count };
  return Array.from({ length: count }, (_, index): QueuedStep => {
    return { feedId, batchNo: index + 1, step, topic, origin, remaining: 100, lost: [] };
  });
}

const namesOf = (steps: readonly QueuedStep[]) =>
  steps.map(({ feedId, step, batchNo }) => `${feedId}/${step}/${batchNo}`);
const feedsOf = (steps: readonly QueuedStep[]) => [...new Set(steps.map(({ feedId }) => feedId))];

describe('the queue of steps', () => {
  it('returns the steps of a group in their order', () => {
    const queue = createStepQueue();
    queue.add(stepsOf('a', 25));
    const all = [...queue.take(shard, 4, unlimited), ...queue.take(shard, 100, unlimited)];
    expect(namesOf(all)).toEqual(namesOf(stepsOf('a', 25)));
    expect(queue.size).toBe(0);
  });

  it('returns steps of a small group before a large group that came earlier is empty', () => {
    const queue = createStepQueue();
    queue.add(stepsOf('large', 1000));
    queue.add(stepsOf('small', 3));
    expect(feedsOf(queue.take(shard, 20, unlimited))).toEqual(['large', 'small']);
  });

  it('continues its round robin from one take to the next', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('a', 30), ...stepsOf('b', 30), ...stepsOf('c', 30)]);
    expect([1, 2, 3, 4].map(() => feedsOf(queue.take(shard, 10, unlimited)))).toEqual([['a'], ['b'], ['c'], ['a']]);
  });

  it('returns second steps of a feed before all its first steps are returned', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('a', 100), ...stepsOf('a', 5, { step: 2 })]);
    expect(queue.take(shard, 20, unlimited).filter(({ step }) => step === 2)).toHaveLength(5);
  });

  it('returns steps of only the requested shard', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('a', 5), ...stepsOf('b', 5, { topic: 'muster.award-reward.ID' })]);
    expect(feedsOf(queue.take('muster.award-reward.ID', 100, unlimited))).toEqual(['b']);
    expect(queue.take('muster.award-reward.VN', 100, unlimited)).toEqual([]);
    expect(queue.size).toBe(5);
  });

  it('returns the steps that a caller has returned to the queue first, in their order', () => {
    const queue = createStepQueue();
    queue.add(stepsOf('a', 10));
    const taken = queue.take(shard, 4, unlimited);
    queue.requeue(taken);
    expect(namesOf(queue.take(shard, 10, unlimited))).toEqual(namesOf(stepsOf('a', 10)));
  });

  it('drops only the steps that came from a revoked partition', () => {
    const queue = createStepQueue();
    const [gone, kept] = [laneOf(0), laneOf(1)];
    queue.add([
      ...stepsOf('a', 5, { lane: gone }),
      ...stepsOf('b', 5, { lane: kept }),
      ...stepsOf('a', 2, { lane: kept }),
    ]);
    queue.drop(gone);
    expect(queue.size).toBe(7);
    expect(feedsOf(queue.take(shard, 100, unlimited))).toEqual(['a', 'b']);
  });

  it('returns at most as many steps of a feed as the feed has room, and fills the rest with other feeds', () => {
    const queue = createStepQueue();
    queue.add([...stepsOf('slow', 100), ...stepsOf('slow', 100, { step: 2 }), ...stepsOf('quick', 100)]);
    const taken = queue.take(
      shard,
      50,
      roomsOf((feedId) => (feedId === 'slow' ? 4 : 1000)),
    );
    expect(taken.filter(({ feedId }) => feedId === 'slow')).toHaveLength(4);
    expect(taken).toHaveLength(50);
    expect(
      queue.take(
        shard,
        50,
        roomsOf(() => 0),
      ),
    ).toEqual([]);
  });

  it('takes 500 of 800,000 steps in under 20 ms', () => {
    const queue = createStepQueue();
    const [step] = stepsOf('a', 1);
    if (!step) throw new Error('no step');
    const many = Array.from({ length: 10_000 }, () => step);
    for (let round = 0; round < 80; round++) queue.add(many);
    const tookMs = medianOf(99, () => queue.requeue(queue.take(shard, 500, unlimited)));
    expect(queue.size).toBe(800_000);
    // This took 1,700 ms when the queue copied whole arrays.
    expect(tookMs).toBeLessThan(20);
  });
});

/**
 * Returns the median duration in milliseconds. Other work on the machine slows down single measurements, but hardly the
 * median.
 */
function medianOf(times: number, work: () => void): number {
  const tookMs = Array.from({ length: times }, () => {
    const startedMs = performance.now();
    work();
    return performance.now() - startedMs;
  });
  return tookMs.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}
