import type { ReactNode } from 'react';
import { useKeptError } from '../../api/kept-error.ts';
import { Failed } from '../standing/states.tsx';

interface ListViewProps {
  /** `The clients`, as in “The clients could not be read”. */
  what: string;
  query: { error: unknown; refetch: () => unknown };
  /** Rows of the answer; undefined while nothing is read. */
  items: readonly unknown[] | undefined;
  /** Replaces a list without rows: explains why it is empty, and how rows get there. */
  empty: ReactNode;
  /** The table with its rows, or with `undefined` for its rows while they are read; and its foot. */
  children: ReactNode;
}

/**
 * A list that is read from the server, in its four states: failed, with the reason and a button that tries again;
 * empty; being read; read. What was read once stays when a later reading fails.
 */
export function ListView({ what, query, items, empty, children }: ListViewProps) {
  const error = useKeptError({ data: items, error: query.error });
  if (items === undefined && error !== null) {
    return <Failed title={`${what} could not be read`} error={error} onRetry={() => void query.refetch()} />;
  }
  return items?.length === 0 ? empty : children;
}
