import type { Clock } from '../ports/clock.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  // The sleep of node:timers/promises is not used: it creates an error with a stack each time it is cut short.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake, { once: true });
    }),
};
