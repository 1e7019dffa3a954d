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
export function useDerivedFromNow<T extends number | string | boolean>(compute: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => compute(now));
}

/** Returns the milliseconds since 1970, updated once a second. One timer serves the whole page. */
export function useNow(): number {
  return useDerivedFromNow((nowMs) => nowMs);
}

/** Returns the milliseconds since 1970, updated once a minute, for components that show no seconds. */
export function useCurrentMinute(): number {
  return useDerivedFromNow((nowMs) => nowMs - (nowMs % 60_000));
}
