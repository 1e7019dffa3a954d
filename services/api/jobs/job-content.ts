import type { MaskedHeaders } from '../../../shared/contracts/jobs/job-shapes.ts';
import { isSecretHeader, storedHeaders } from '../../../shared/contracts/jobs/stored-calls.ts';

/**
 * Masks secret headers.
 * @param headers headers as stored JSON; secret values are encrypted, except in jobs from before values were encrypted
 */
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
