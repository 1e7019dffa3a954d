import { Icon, type IconName } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import type { Timeline, TimelineEntry, Tone } from './timeline.ts';
import { titleOf } from '../../parts/words/action-titles.ts';

/** All events of a user in order. A wait is one dashed line, however long. */
export function UserTimeline({ timeline: { audience, steps } }: { timeline: Timeline }) {
  return (
    <>
      <Entries entries={audience} />
      {steps.map(({ step, summary, entries }) => (
        <section key={step.step} aria-label={`Step ${step.step}`}>
          <div className="flex flex-wrap gap-2 items-center py-2.25 px-4 bg-sunken border-y border-line">
            <h3 className="text-base leading-5">
              Step {step.step}&ensp;{titleOf(step.action)}
            </h3>
            <OutcomeBadge outcome={step.outcome} />
            <span className="ml-auto t2 sm">{summary}</span>
          </div>
          <Entries entries={entries} />
        </section>
      ))}
    </>
  );
}

function Entries({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol className="px-4 pt-1.5 pb-2.5 phone:px-3">
      {entries.map((entry) =>
        entry.kind === 'gap' ? (
          <li key={entry.key} className="entry gap">
            <span />
            <span />
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
    <li className="entry">
      <span className="text-quiet text-sm text-right phone:text-xs">
        {at !== null && <Time instant={at} withSeconds />}
      </span>
      <span className={`z-1 grid place-items-center h-4.5 bg-surface ${colour}`}>
        <Icon name={icon} />
      </span>
      <div>
        <div className="row flex-wrap gap-y-0.5 gap-x-2">
          <b className="font-medium">{title}</b>
          {aside !== null && <span className="t3 sm">{aside}</span>}
        </div>
        {text !== null && <div className="t2 sm wrap-anywhere">{text}</div>}
      </div>
    </li>
  );
}
