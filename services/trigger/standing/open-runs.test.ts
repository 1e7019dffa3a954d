import { describe, expect, it } from 'vitest';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createOpenRuns } from './open-runs.ts';

function setUp() {
  const clock = createSettableClock();
  const changes = createMemoryChangeFeed();
  const state = { isAny: false, asked: 0, isDown: false };
  const isAnyOpen = () => {
    state.asked++;
    return state.isDown ? Promise.reject(new Error('scripted failure')) : Promise.resolve(state.isAny);
  };
  return { clock, changes, state, openRuns: createOpenRuns({ runStore: { isAnyOpen }, changes, clock }) };
}

describe('the query for open runs', () => {
  it('is made once in five seconds without a notification', async () => {
    const { clock, state, openRuns } = setUp();
    for (let second = 0; second < 10; second++) {
      expect(await Promise.all([openRuns.isAny(), openRuns.isAny()])).toEqual([false, false]);
      clock.advance(1000);
    }
    expect(state.asked).toBe(2);
  });

  it('is made again at once after a notification, and after five seconds without a notification', async () => {
    const { clock, changes, state, openRuns } = setUp();
    await openRuns.isAny();
    state.isAny = true;
    changes.announce('runs');
    expect(await openRuns.isAny()).toBe(true);
    state.isAny = false;
    clock.advance(4999);
    expect(await openRuns.isAny()).toBe(true);
    clock.advance(1);
    expect(await openRuns.isAny()).toBe(false);
  });

  it('is skipped, and runs are assumed to be open, while notifications are not received', async () => {
    const { changes, state, openRuns } = setUp();
    changes.lose();
    expect(await openRuns.isAny()).toBe(true);
    expect(state.asked).toBe(0);
  });

  it('is made again after a failed query', async () => {
    const { state, openRuns } = setUp();
    state.isDown = true;
    await expect(openRuns.isAny()).rejects.toThrow('scripted failure');
    state.isDown = false;
    expect(await openRuns.isAny()).toBe(false);
  });
});
