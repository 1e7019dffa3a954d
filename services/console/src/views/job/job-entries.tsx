import { Link } from '@tanstack/react-router';
import type { Job } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { createTimeline, type JobEntry } from './job-timeline.ts';

export function JobEntries({ job }: { job: Job }) {
  return (
    <Panel title="What happened" {...(job.withheld && { note: 'responses are hidden from the role viewer' })}>
      <ol className="px-4 pt-1.5 pb-2.5 phone:px-3">
        {createTimeline(job).map((entry) =>
          entry.kind === 'gap' ? (
            <li key={entry.key} className="entry gap">
              <span />
              <span />
              <span className="t3 sm">{entry.text}</span>
            </li>
          ) : (
            <Entry key={entry.key} entry={entry} job={job} />
          ),
        )}
      </ol>
    </Panel>
  );
}

function Entry({ entry, job }: { entry: Extract<JobEntry, { kind: 'event' }>; job: Job }) {
  const { key, at, icon, colour, title, text, answer } = entry;
  return (
    <li className="entry">
      <span className="text-quiet text-sm text-right phone:text-xs">
        {at !== null && <Time instant={at} withSeconds />}
      </span>
      <span className={`z-1 grid place-items-center h-4.5 bg-surface ${colour}`}>
        <Icon name={icon} />
      </span>
      <div className="min-w-0">
        <b className="font-medium">{title}</b>
        {text !== null && <div className="t2 sm wrap-anywhere">{text}</div>}
        {key === 'accepted' && job.scheduleId !== null && (
          <Link className="link sm" to="/schedules" search={{ id: job.scheduleId }}>
            Its schedule
          </Link>
        )}
        {key === 'accepted' && job.repeats !== null && (
          <Link className="link sm" to="/jobs/$jobId" params={{ jobId: job.repeats }}>
            The repeated job
          </Link>
        )}
        {answer !== null && answer !== '' && (
          <pre className="bytes mt-1.5 max-h-50" tabIndex={0} aria-label={`Response to ${title}`}>
            {answer}
          </pre>
        )}
      </div>
    </li>
  );
}
