import type { MaskedHeaders } from '../../../shared/contracts/jobs/job-shapes.ts';
import { isSecretHeader, storedHeaders } from '../../../shared/contracts/jobs/stored-calls.ts';

/** @param headers stored JSON: secret values are sealed, except in jobs older than sealing */
export function maskHeaders(headers: string | null): MaskedHeaders | null {
  if (headers === null) return null;
  const masked = Object.entries(storedHeaders.parse(JSON.parse(headers))).map(
    ([name, value]) =>
      [
        name,
        typeof value === 'string' && !isSecretHeader(name) ? value : ({ set: true, length: value.length } as const),
      ] as const,
  );
  return Object.fromEntries(masked);
}
