import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab changed it.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** A setting of this browser, such as the zone; text, because that is what is stored. */
export function useRemembered(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(subscribe, () => readRemembered(name));
  return [value, (next) => remember(name, next)];
}

/** Null also where the browser keeps nothing for us. */
export function readRemembered(name: string): string | null {
  try {
    return localStorage.getItem(`muster.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`muster.${name}`);
    else localStorage.setItem(`muster.${name}`, value);
  } catch {
    // A browser that stores nothing still shows the page.
  }
  notify();
}
