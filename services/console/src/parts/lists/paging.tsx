import type { ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import { useKeys } from '../keys/use-keys.ts';

interface PagingProps {
  /** `12 of 148 campaigns, by last activity` */
  children: ReactNode;
  /** What the colours of the rows mean. */
  legend?: ReactNode;
  /** Of this page; undefined on the first one. */
  cursor: string | undefined;
  /** Of the page behind it; null on the last one. */
  next: string | null | undefined;
  onGo: (cursor: string | undefined) => void;
  /** In lists that begin with the newest. */
  words?: { before: string; behind: string };
}

/** Which page came before which, as far as this tab went through them: the server's cursors lead forward only. */
const cameFrom = new Map<string, string | undefined>();

/** The foot of a table that the server pages. A page that was opened by its address leads back to the first one. */
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
