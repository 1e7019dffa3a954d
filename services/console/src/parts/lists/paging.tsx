import type { ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import { useKeys } from '../keys/use-keys.ts';

interface PagingProps {
  /** Summary such as `12 of 148 campaigns, by last activity`. */
  children: ReactNode;
  legend?: ReactNode;
  /** Cursor of this page; undefined on the first page. */
  cursor: string | undefined;
  /** Cursor of the next page; null on the last page. */
  next: string | null | undefined;
  onGo: (cursor: string | undefined) => void;
  /** Labels of the buttons. Default: labels for a list with the newest entry first. */
  words?: { before: string; behind: string };
}

/**
 * Cursor of the previous page, by the cursor of a page. The server's cursors lead forward only, so the tab records the
 * pages it has visited.
 */
const cameFrom = new Map<string, string | undefined>();

/** The foot of a paged table. If the page was opened by its address, the back button leads to the first page. */
export function Paging({ children, legend, cursor, next, onGo, words = newestFirst }: PagingProps) {
  const goBack = () => onGo(cursor === undefined ? undefined : cameFrom.get(cursor));
  const goOn = () => {
    if (typeof next !== 'string') return;
    cameFrom.set(next, cursor);
    onGo(next);
  };
  useKeys([
    { keys: '[', does: `${words.before} rows`, group: 'Rows', run: () => cursor !== undefined && goBack() },
    { keys: ']', does: `${words.behind} rows`, group: 'Rows', run: goOn },
  ]);
  return (
    <footer className="row flex-wrap">
      <span>{children}</span>
      {legend !== undefined && <span className="row gap-3 flex-wrap ml-4 phone:ml-0">{legend}</span>}
      <span className="ml-auto row">
        <button type="button" className="btn s" title="Key [" disabled={cursor === undefined} onClick={goBack}>
          <Icon name="left" size={12} />
          {words.before}
        </button>
        <button type="button" className="btn s" title="Key ]" disabled={typeof next !== 'string'} onClick={goOn}>
          {words.behind}
          <Icon name="right" size={12} />
        </button>
      </span>
    </footer>
  );
}

const newestFirst = { before: 'Newer', behind: 'Older' };
