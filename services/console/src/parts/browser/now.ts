import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since 1970, once a second: one timer for everything on the page that shows an age. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The same, once a minute: for what does not show seconds. */
export function useMinute(): number {
  return useSyncExternalStore(subscribe, () => now - (now % 60_000));
}
