import { Icon } from '../icon/icon.tsx';
import { lookOf, type DisplayState, type StateLook } from './state-looks.ts';

interface StateBadgeProps {
  state: DisplayState;
  /** True for a coloured background, in the head of a page. Tables show only icon and word. */
  tinted?: boolean;
}

/**
 * Shows a state as an icon, a word and a colour, never as a colour alone. In a page header, the badge also shows
 * whether users failed. Tables show failures below the badge.
 */
export function StateBadge({ state, tinted = false }: StateBadgeProps) {
  return (
    <>
      <LookBadge look={lookOf(state)} tinted={tinted} />
      {tinted && state === 'completed_with_failures' && <span className="t2">with failures</span>}
    </>
  );
}

/** A badge like `StateBadge`, for objects with other states. */
export function LookBadge({ look: { icon, word, tone }, tinted = false }: { look: StateLook; tinted?: boolean }) {
  const className = tinted ? `badge ${tints[tone]}` : `st ${toneColours[tone]}`;
  return (
    <span className={className.trimEnd()}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

/** Cause of a state, below its badge: `VN waits`, `with failures`. */
export function StateCause({ tone, children }: { tone: 'warn' | 'bad' | 'idle'; children: string }) {
  if (tone === 'idle') return <div className="cause t2">{children}</div>;
  return (
    <div className={`cause row ${toneColours[tone]}`}>
      <Icon name="warn" size={14} />
      <span className="truncate" title={children}>
        {children}
      </span>
    </div>
  );
}

export const toneColours = {
  run: 'c-run',
  ok: 'c-ok',
  bad: 'c-bad',
  warn: 'c-warn',
  odd: 'c-odd',
  idle: 't2',
} as const;
const tints = { run: 'run', ok: 'ok', bad: 'bad', warn: 'warn', odd: 'odd', idle: '' } as const;
