import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    // An aborted sleep is a sleep that ended early, not an error.
    await wait(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
  },
};
