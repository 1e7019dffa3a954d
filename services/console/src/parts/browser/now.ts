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

/** What is said of this moment, looked at once a second: whoever asks is drawn again only where it is another. */
export function useOfNow<T extends number | string | boolean>(of: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => of(now));
}

/** Milliseconds since 1970, once a second: one timer for everything on the page that shows an age. */
export function useNow(): number {
  return useOfNow((nowMs) => nowMs);
}

/** The same, once a minute: for what does not show seconds. */
export function useMinute(): number {
  return useOfNow((nowMs) => nowMs - (nowMs % 60_000));
}
