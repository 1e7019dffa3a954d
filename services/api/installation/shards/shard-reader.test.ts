import { expect, it } from 'vitest';
import { createSettableClock } from '../../../../test/support/settable-clock.ts';
import { createShardReader, type ShardReaderDeps } from './shard-reader.ts';

const shard = { actionType: 'award-reward', country: 'SG' };

/**
 * Reads the shards once a second for some seconds. Each sum of the runs' work takes the given time. Returns how often
 * each part was read.
 */
async function summedUp(tookMs: number, seconds: number) {
  const clock = createSettableClock();
  const counts = { work: 0, reports: 0 };
  const reader = createShardReader({
    topicPrefix: 'muster',
    clock,
    registry: { refresh: () => Promise.resolve({ shards: [{ ...shard, partitions: 1, createdAt: new Date(0) }] }) },
    figures: {
      reports: () => {
        counts.reports++;
        return Promise.resolve([]);
      },
      work: () => {
        clock.advance(tookMs);
        return Promise.resolve([{ ...shard, ready: 0, waiting: ++counts.work, ahead: 0, paced: 0 }]);
      },
    },
    guards: { list: () => Promise.resolve([]) },
    group: { read: () => Promise.resolve(null) },
  } as unknown as ShardReaderDeps);
  const waiting: number[] = [];
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    const [row] = await reader.read();
    waiting.push(row?.lag.waiting ?? 0);
  }
  return { ...counts, waiting };
}

it('the reader of shards sums the work of runs at each read if the sum is fast', async () => {
  const { work, reports, waiting } = await summedUp(5, 20);
  expect([work, reports]).toEqual([20, 20]);
  expect(waiting).toEqual(waiting.map((_, read) => read + 1));
});

it('the reader of shards spends a twentieth of its time on slow sums, and reads all other data as often as before', async () => {
  const { work, reports, waiting } = await summedUp(7000, 300);
  expect(work).toBeLessThanOrEqual(3);
  expect(reports).toBe(300);
  expect(waiting.at(-1)).toBe(work);
});
