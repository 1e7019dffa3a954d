import type { Clock } from '../../shared/ports/clock.ts';

/** A clock that stands still until a test moves it. Sleepers wake in the order of their times. */
export interface SettableClock extends Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Advances time and wakes the sleepers that are due. */
  advance(ms: number): void;
  /** Sets the time back to its start. Monotonic time advances by a day. */
  restart(): void;
  /** Returns when the earliest sleeper wakes, or undefined if there is no sleeper. */
  nextWakeMs(): number | undefined;
}

interface Sleeper {
  wakeAtMs: number;
  wake: () => void;
}

export function createSettableClock(startMs = Date.UTC(2026, 0, 1)): SettableClock {
  let currentMs = startMs;
  let earlierMs = 0;
  const sleepers = new Set<Sleeper>();

  function wakeDue(): void {
    const due = [...sleepers].filter((s) => s.wakeAtMs <= currentMs).sort((a, b) => a.wakeAtMs - b.wakeAtMs);
    for (const sleeper of due) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  return {
    now: () => new Date(currentMs),
    nowMs: () => currentMs,
    monotonicMs: () => earlierMs + currentMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) {
          resolve();
          return;
        }
        const sleeper: Sleeper = { wakeAtMs: currentMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          resolve();
        });
      }),
    advance: (ms) => {
      currentMs += ms;
      wakeDue();
    },
    restart: () => {
      earlierMs += currentMs - startMs + 86_400_000;
      currentMs = startMs;
    },
    nextWakeMs: () => {
      const times = [...sleepers].map((s) => s.wakeAtMs);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}
