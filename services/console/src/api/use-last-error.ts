import { useState } from 'react';

/**
 * Returns the error of a query without data, and keeps it while the query is repeated. TanStack clears the error with
 * each attempt, so the error of a polled query, and the button below it, would flicker.
 * @returns null once there is data, or if nothing has failed
 */
export function useLastError({ data, error }: { data: unknown; error: unknown }): unknown {
  const [kept, setKept] = useState<unknown>(null);
  const current = data === undefined ? (error ?? kept) : null;
  if (current !== kept) setKept(current);
  return current;
}
