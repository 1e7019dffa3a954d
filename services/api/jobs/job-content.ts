import type { ShownHeaders } from '../../../shared/contracts/jobs/shown-jobs.ts';
import { isSecretHeader, storedHeaders } from '../../../shared/contracts/jobs/stored-calls.ts';

/** @param headers stored JSON: secret values are sealed, except in jobs older than sealing */
export function shownHeaders(headers: string | null): ShownHeaders | null {
  if (headers === null) return null;
  const shown = Object.entries(storedHeaders.parse(JSON.parse(headers))).map(
    ([name, value]) =>
      [
        name,
        typeof value === 'string' && !isSecretHeader(name) ? value : ({ set: true, length: value.length } as const),
      ] as const,
  );
  return Object.fromEntries(shown);
}
