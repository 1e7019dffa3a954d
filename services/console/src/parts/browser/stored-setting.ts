import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Notifies of changes by other tabs.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** Stores a setting in this browser, such as the time zone. */
export function useStoredSetting(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(subscribe, () => readStoredSetting(name));
  return [value, (next) => storeSetting(name, next)];
}

/** Returns null if the setting is unset, or the browser refuses storage. */
export function readStoredSetting(name: string): string | null {
  try {
    return localStorage.getItem(`muster.${name}`);
  } catch {
    return null;
  }
}

export function storeSetting(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`muster.${name}`);
    else localStorage.setItem(`muster.${name}`, value);
  } catch {
    // The browser refuses storage: the page works without it.
  }
  notify();
}
