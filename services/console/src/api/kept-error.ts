import { useState } from 'react';

/**
 * Why there is nothing to show: TanStack forgets the error of a query without data as soon as it is asked again, and a
 * question that is asked every other second would show its error, and the button below it, for moments only.
 * @returns null once there is data, or while nothing has failed
 */
export function useKeptError({ data, error }: { data: unknown; error: unknown }): unknown {
  const [kept, setKept] = useState<unknown>(null);
  const shown = data === undefined ? (error ?? kept) : null;
  if (shown !== kept) setKept(shown);
  return shown;
}
