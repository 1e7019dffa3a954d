import { expect, it } from 'vitest';
import { wakeInTurns } from './wake-in-turns.ts';

it('wakes all, and leaves turns of the event loop to others between them', async () => {
  const order: string[] = [];
  const sleepers = 150;
  await new Promise<void>((resolve) => {
    const awake = (index: number) => {
      order.push(`sleeper ${index}`);
      if (index === sleepers) resolve();
    };
    wakeInTurns(Array.from({ length: sleepers }, (_, index) => () => awake(index + 1)));
    setImmediate(() => order.push('another'));
  });
  expect(order.filter((each) => each !== 'another')).toEqual(
    Array.from({ length: sleepers }, (_, index) => `sleeper ${index + 1}`),
  );
  expect(order.indexOf('another')).toBeGreaterThan(0);
  expect(order.indexOf('another')).toBeLessThan(sleepers / 2);
});
