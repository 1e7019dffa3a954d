import { Icon } from '../icon/icon.tsx';
import type { CountryMark } from './step-lines.ts';
import styles from './step-table.module.css';

/** A tick or a warning, told in words too. */
export function Mark({ mark, isTold = false }: { mark: CountryMark | null; isTold?: boolean }) {
  if (mark === null) return null;
  const words = mark === 'done' ? 'done' : 'waits';
  return (
    <span className={`${styles['mark'] ?? ''} ${mark === 'done' ? 'c-ok' : 'c-warn'}`}>
      <Icon name={mark === 'done' ? 'tick' : 'warn'} size={12} />
      <span className={isTold ? undefined : 'vh'}>{words}</span>
    </span>
  );
}
