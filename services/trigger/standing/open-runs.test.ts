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

describe('whether there are runs to look after', () => {
  it('is asked once for five seconds while nothing is told', async () => {
    const { clock, state, openRuns } = setUp();
    for (let second = 0; second < 10; second++) {
      expect(await Promise.all([openRuns.isAny(), openRuns.isAny()])).toEqual([false, false]);
      clock.advance(1000);
    }
    expect(state.asked).toBe(2);
  });

  it('is asked again at once when a run is told, and after five seconds where the notice was lost', async () => {
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

  it('is taken for granted while nothing can be told', async () => {
    const { changes, state, openRuns } = setUp();
    changes.lose();
    expect(await openRuns.isAny()).toBe(true);
    expect(state.asked).toBe(0);
  });

  it('is asked again after a question that was not answered', async () => {
    const { state, openRuns } = setUp();
    state.isDown = true;
    await expect(openRuns.isAny()).rejects.toThrow('scripted failure');
    state.isDown = false;
    expect(await openRuns.isAny()).toBe(false);
  });
});
