import type { ReactNode } from 'react';
import { useLastError } from '../../api/use-last-error.ts';
import { Failed } from '../standing/states.tsx';

interface ListViewProps {
  /** Subject of messages, such as `The clients` in “The clients could not be read”. */
  what: string;
  query: { error: unknown; refetch: () => unknown };
  /** Rows of the answer; undefined until they are loaded. */
  items: readonly unknown[] | undefined;
  /** Content that is shown if there are no rows: it explains why, and how to add some. */
  empty: ReactNode;
  /** The table and its footer. The table gets `undefined` as its rows while they are loaded. */
  children: ReactNode;
}

/**
 * A list that is loaded from the server: failed, with the reason and a button that retries; empty; loading; or loaded.
 * If a later request fails, the loaded rows stay.
 */
export function ListView({ what, query, items, empty, children }: ListViewProps) {
  const error = useLastError({ data: items, error: query.error });
  if (items === undefined && error !== null) {
    return <Failed title={`${what} could not be read`} error={error} onRetry={() => void query.refetch()} />;
  }
  return items?.length === 0 ? empty : children;
}
