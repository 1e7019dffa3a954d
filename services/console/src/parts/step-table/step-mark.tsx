import { Icon, type IconName } from '../icon/icon.tsx';
import type { CountryMark, StepWait } from './step-lines.ts';

interface MarkProps {
  mark: CountryMark | null;
  /** What it waits for, where it does. */
  wait?: StepWait | null | undefined;
  hasVisibleWords?: boolean;
}

interface MarkLook {
  icon: IconName;
  words: string;
  tone: string;
}

/** As the badge of a run says it: one that ended with failures is green, and of another shape. */
const endLooks: Readonly<Record<Exclude<CountryMark, 'waits'>, MarkLook>> = {
  done: { icon: 'tick', words: 'done', tone: 'c-ok' },
  partly: { icon: 'partly', words: 'done with failures', tone: 'c-ok' },
  failed: { icon: 'failed', words: 'nobody served', tone: 'c-bad' },
  nobody: { icon: 'cancelled', words: 'nobody served', tone: 't2' },
};

/** How it ended, a warning or that nobody is called, and words for it. */
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
