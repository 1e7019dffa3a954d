import { logInSearch } from './search.ts';

const key = 'muster.signed-in-to';

/** Stores the requested page while the browser is at the issuer. */
export function storeReturnPath(path: string): void {
  sessionStorage.setItem(key, path);
}

/** Returns the stored path of the console and removes it. Default: `/campaigns`. */
export function takeReturnPath(): string {
  const stored = sessionStorage.getItem(key) ?? undefined;
  sessionStorage.removeItem(key);
  return logInSearch.parse({ to: stored }).to ?? '/campaigns';
}
