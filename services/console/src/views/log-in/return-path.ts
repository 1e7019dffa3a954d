import { logInSearch } from './search.ts';

const key = 'muster.signed-in-to';

/** Stores the requested page while the browser is at the issuer. */
export function storeReturnPath(path: string): void {
  sessionStorage.setItem(key, path);
}

/**
 * Returns the stored path once, and removes it. Returns `/campaigns` if there is none, or it is not a path of the
 * console.
 */
export function takeReturnPath(): string {
  const stored = sessionStorage.getItem(key) ?? undefined;
  sessionStorage.removeItem(key);
  return logInSearch.parse({ to: stored }).to ?? '/campaigns';
}
