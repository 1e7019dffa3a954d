import { describe, expect, it } from 'vitest';
import { createSlots } from './slots.ts';

describe('the slots of an action', () => {
  it('are acquired at once as long as one is free, and then in the order of the requests for them', async () => {
    const slots = createSlots(2);
    const acquired: number[] = [];
    const acquire = async (request: number) => {
      await slots.acquire();
      acquired.push(request);
    };
    const all = [1, 2, 3, 4].map(acquire);
    await Promise.all(all.slice(0, 2));
    expect(acquired).toEqual([1, 2]);
    slots.release();
    await all[2];
    expect(acquired).toEqual([1, 2, 3]);
    slots.release();
    await all[3];
    expect(acquired).toEqual([1, 2, 3, 4]);
  });
});
