import { Icon } from '../icon/icon.tsx';
import { lookOf, type ShownState, type StateLook } from './state-looks.ts';

interface StateBadgeProps {
  state: ShownState;
  /** A tint behind it, for the head of a page; tables show the shape and the word alone. */
  tinted?: boolean;
}

/**
 * A state as a shape, a word and a colour, never as a colour alone. In the head of a page it says by itself that users
 * failed; tables say so beneath it.
 */
export function StateBadge({ state, tinted = false }: StateBadgeProps) {
  return (
    <>
      <LookBadge look={lookOf(state)} tinted={tinted} />
      {tinted && state === 'completed_with_failures' && <span className="t2">with failures</span>}
    </>
  );
}

/** The same of what has states of its own. */
export function LookBadge({ look: { icon, word, tone }, tinted = false }: { look: StateLook; tinted?: boolean }) {
  const className = tinted ? `badge ${tints[tone]}` : `st ${toneColours[tone]}`;
  return (
    <span className={className.trimEnd()}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

/** Why a state is as it is, beneath its badge: `VN waits`, `with failures`. */
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

/** Of text, by tone. */
export const toneColours = {
  run: 'c-run',
  ok: 'c-ok',
  bad: 'c-bad',
  warn: 'c-warn',
  odd: 'c-odd',
  idle: 't2',
} as const;
const tints = { run: 'run', ok: 'ok', bad: 'bad', warn: 'warn', odd: 'odd', idle: '' } as const;
