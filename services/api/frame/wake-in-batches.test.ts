import { expect, it } from 'vitest';
import { wakeInBatches } from './wake-in-batches.ts';

it('wakeInBatches calls all waiting functions, and lets the event loop do other work in between', async () => {
  const order: string[] = [];
  const sleepers = 150;
  await new Promise<void>((resolve) => {
    const awake = (index: number) => {
      order.push(`sleeper ${index}`);
      if (index === sleepers) resolve();
    };
    wakeInBatches(Array.from({ length: sleepers }, (_, index) => () => awake(index + 1)));
    setImmediate(() => order.push('another'));
  });
  expect(order.filter((each) => each !== 'another')).toEqual(
    Array.from({ length: sleepers }, (_, index) => `sleeper ${index + 1}`),
  );
  expect(order.indexOf('another')).toBeGreaterThan(0);
  expect(order.indexOf('another')).toBeLessThan(sleepers / 2);
});
