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

/** Computes a value of the current time once a second. The component renders again only if the value has changed. */
export function useOfNow<T extends number | string | boolean>(of: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => of(now));
}

/** Returns the milliseconds since 1970, updated once a second. One timer serves the whole page. */
export function useNow(): number {
  return useOfNow((nowMs) => nowMs);
}

/** Returns the milliseconds since 1970, updated once a minute, for components that show no seconds. */
export function useMinute(): number {
  return useOfNow((nowMs) => nowMs - (nowMs % 60_000));
}
