import { Icon, type IconName } from '../icon/icon.tsx';
import type { CountryMark, StepWait } from './step-lines.ts';

interface MarkProps {
  mark: CountryMark | null;
  wait?: StepWait | null | undefined;
  hasVisibleWords?: boolean;
}

interface MarkLook {
  icon: IconName;
  words: string;
  tone: string;
}

/**
 * Icons for the end of a step, like those of a run's badge. An end with failures is green too, but has another shape.
 */
const endLooks: Readonly<Record<Exclude<CountryMark, 'waits'>, MarkLook>> = {
  done: { icon: 'tick', words: 'done', tone: 'c-ok' },
  partly: { icon: 'partly', words: 'done with failures', tone: 'c-ok' },
  failed: { icon: 'failed', words: 'no user served', tone: 'c-bad' },
  nobody: { icon: 'cancelled', words: 'no user served', tone: 't2' },
};

/** An icon and words for the end of a step, or a warning that users wait. */
export function Mark({ mark, wait, hasVisibleWords = false }: MarkProps) {
  if (mark === null) return null;
  const { icon, words, tone } = mark === 'waits' ? waitLook(wait) : endLooks[mark];
  return (
    <span className={`inline-flex gap-1 items-center align-[-1px] ${tone}`} title={hasVisibleWords ? undefined : words}>
      <Icon name={icon} size={12} />
      <span className={hasVisibleWords ? undefined : 'sr-only'}>{words}</span>
    </span>
  );
}

function waitLook(wait: StepWait | null | undefined): MarkLook {
  const words = wait?.words ?? 'waits';
  return wait?.isStopped === true ? { icon: 'open', words, tone: 'c-bad' } : { icon: 'warn', words, tone: 'c-warn' };
}
