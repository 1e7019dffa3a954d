import { Icon } from '../icon/icon.tsx';
import type { CountryMark, StepWait } from './step-lines.ts';

interface MarkProps {
  mark: CountryMark | null;
  /** What it waits for, where it does. */
  wait?: StepWait | null | undefined;
  hasVisibleWords?: boolean;
}

/** A tick, a warning or that nobody is called, and words for it. */
export function Mark({ mark, wait, hasVisibleWords = false }: MarkProps) {
  if (mark === null) return null;
  const isStopped = mark === 'waits' && wait?.isStopped === true;
  const words = mark === 'done' ? 'done' : (wait?.words ?? 'waits');
  return (
    <span
      className={`inline-flex gap-1 items-center align-[-1px] ${mark === 'done' ? 'c-ok' : isStopped ? 'c-bad' : 'c-warn'}`}
      title={hasVisibleWords ? undefined : words}
    >
      <Icon name={mark === 'done' ? 'tick' : isStopped ? 'open' : 'warn'} size={12} />
      <span className={hasVisibleWords ? undefined : 'sr-only'}>{words}</span>
    </span>
  );
}
