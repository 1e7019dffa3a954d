import { Icon, type IconName } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import type { Timeline, TimelineEntry, Tone } from './timeline.ts';
import styles from './user-timeline.module.css';

/** Everything that happened, in order; a wait is one dashed line, however long it was. */
export function UserTimeline({ timeline: { audience, steps } }: { timeline: Timeline }) {
  return (
    <>
      <Entries entries={audience} />
      {steps.map(({ step, summary, entries }) => (
        <section key={step.step} aria-label={`Step ${step.step}`}>
          <div className={styles['step']}>
            <h3>
              Step {step.step}&ensp;{step.action}
            </h3>
            <OutcomeBadge outcome={step.outcome} />
            <span className="push t2 sm">{summary}</span>
          </div>
          <Entries entries={entries} />
        </section>
      ))}
    </>
  );
}

function Entries({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol className={styles['line']}>
      {entries.map((entry) =>
        entry.kind === 'gap' ? (
          <li key={entry.key} className={`${styles['entry'] ?? ''} ${styles['gap'] ?? ''}`}>
            <span />
            <span className={styles['dot']} />
            <span className="t3 sm">{entry.text}</span>
          </li>
        ) : (
          <Entry key={entry.key} entry={entry} />
        ),
      )}
    </ol>
  );
}

const looks: Record<Tone, { icon: IconName; colour: string }> = {
  good: { icon: 'done', colour: 'c-ok' },
  bad: { icon: 'failed', colour: 'c-bad' },
  odd: { icon: 'unknown', colour: 'c-odd' },
  watch: { icon: 'warn', colour: 'c-warn' },
  plain: { icon: 'skipped', colour: 't2' },
  member: { icon: 'users', colour: 't2' },
  fed: { icon: 'arrow', colour: 't2' },
  waits: { icon: 'scheduled', colour: 't2' },
};

function Entry({ entry: { at, tone, title, text, aside } }: { entry: Extract<TimelineEntry, { kind: 'event' }> }) {
  const { icon, colour } = looks[tone];
  return (
    <li className={styles['entry']}>
      <span className={styles['when']}>{at !== null && <Time instant={at} withSeconds />}</span>
      <span className={`${styles['dot'] ?? ''} ${colour}`}>
        <Icon name={icon} />
      </span>
      <div>
        <div className={`row wrap ${styles['head'] ?? ''}`}>
          <b className="w5">{title}</b>
          {aside !== null && <span className="t3 sm">{aside}</span>}
        </div>
        {text !== null && <div className={`t2 sm ${styles['text'] ?? ''}`}>{text}</div>}
      </div>
    </li>
  );
}
