import { Icon } from '../icon/icon.tsx';
import type { CountryMark } from './step-lines.ts';

/** A tick or a warning, and words for it. */
export function Mark({ mark, hasVisibleWords = false }: { mark: CountryMark | null; hasVisibleWords?: boolean }) {
  if (mark === null) return null;
  const words = mark === 'done' ? 'done' : 'waits';
  return (
    <span className={`inline-flex gap-1 items-center align-[-1px] ${mark === 'done' ? 'c-ok' : 'c-warn'}`}>
      <Icon name={mark === 'done' ? 'tick' : 'warn'} size={12} />
      <span className={hasVisibleWords ? undefined : 'sr-only'}>{words}</span>
    </span>
  );
}
