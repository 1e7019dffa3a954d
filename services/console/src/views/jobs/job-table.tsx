import { Link } from '@tanstack/react-router';
import type { JobSummary } from '#client/types.gen.ts';
import { useNow } from '../../parts/browser/now.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { jobHasEnded, jobLook } from '../../parts/jobs/job-looks.ts';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { RowCheck } from '../../parts/lists/row-check.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { capitalize } from '../../parts/words/figures.ts';
import type { Selection } from './selection-bar.tsx';

interface JobTableProps {
  jobs: readonly JobSummary[] | undefined;
  clients: Clients;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  isOld: boolean;
}

export function JobTable({ jobs, clients, selection, onSelect, isOld }: JobTableProps) {
  const isSelected = ({ id }: JobSummary) => selection.isAll || selection.jobs.has(id);
  const columns: readonly Column<JobSummary>[] = [
    {
      header: 'Selected',
      head: <SelectAll jobs={jobs ?? []} selection={selection} onSelect={onSelect} />,
      width: 'w-10.5 phone:w-9',
      cell: (job) => (
        <RowCheck
          aria-label={`Job ${shortId(job.id)}`}
          checked={isSelected(job)}
          data-row-select
          onChange={() => onSelect(toggled(selection, job))}
        />
      ),
    },
    { header: 'State', width: 'w-27.5 phone:w-24', cell: ({ state }) => <LookBadge look={jobLook(state)} /> },
    {
      header: 'Job',
      width: 'w-44',
      hideBelow: 'phone',
      look: 'mono truncate t2',
      cell: ({ id }) => (
        <Link className="hover:underline" to="/jobs/$jobId" params={{ jobId: id }} title={id} data-row-link>
          {shortId(id)}
        </Link>
      ),
    },
    {
      header: 'Client',
      width: 'w-28',
      hideBelow: 'phone',
      look: 'font-medium truncate',
      cell: ({ clientId }) => clients.nameOf(clientId),
    },
    ...jobColumns,
  ];
  return (
    <div className="scroll">
      <DataTable
        caption="Jobs"
        className={`d30 table-fixed min-w-245 ${isOld ? 'old' : ''}`}
        columns={columns}
        rows={jobs}
        keyOf={({ id }) => id}
        isChosen={isSelected}
        hasRowKeys
        loadingRows={12}
      />
    </div>
  );
}

interface SelectAllProps extends Pick<JobTableProps, 'selection' | 'onSelect'> {
  jobs: readonly JobSummary[];
}

function SelectAll({ jobs, selection, onSelect }: SelectAllProps) {
  const areAll = jobs.length > 0 && jobs.every(({ id }) => selection.jobs.has(id));
  const toggleAll = () => {
    const chosen = new Map(selection.jobs);
    for (const { id, clientId } of jobs) {
      if (areAll) chosen.delete(id);
      else chosen.set(id, clientId);
    }
    onSelect({ jobs: chosen, isAll: false });
  };
  return (
    <RowCheck aria-label="Select all on this page" checked={areAll} disabled={jobs.length === 0} onChange={toggleAll} />
  );
}

function toggled({ jobs }: Selection, { id, clientId }: JobSummary): Selection {
  const chosen = new Map(jobs);
  if (!chosen.delete(id)) chosen.set(id, clientId);
  return { jobs: chosen, isAll: false };
}

/** Text on one line; on a phone it wraps. */
const wrapped = 'truncate phone:whitespace-normal phone:wrap-anywhere phone:py-2 phone:leading-4.5';

const jobColumns: readonly Column<JobSummary>[] = [
  {
    header: 'Due',
    width: 'w-44 phone:w-19',
    look: wrapped,
    cell: (job) => (
      <>
        <Time instant={job.scheduledFor} withSeconds /> <Late job={job} />
      </>
    ),
  },
  {
    header: 'Calls',
    look: wrapped,
    cell: ({ id, url }) => (
      <>
        <Link className="narrow" to="/jobs/$jobId" params={{ jobId: id }}>
          <CallUrl url={url} />
        </Link>
        <span className="wide">
          <CallUrl url={url} />
        </span>
      </>
    ),
  },
  {
    header: 'Attempt',
    align: 'right',
    width: 'w-18',
    hideBelow: 'phone',
    look: ({ attempt }) => (attempt === 1 ? 't3' : undefined),
    cell: ({ attempt }) => attempt,
  },
  { header: 'Next, or end', width: 'w-40', hideBelow: 'phone', look: 'truncate', cell: (job) => <Next job={job} /> },
  {
    header: 'Priority, tags',
    width: 'w-26',
    hideBelow: 'phone',
    look: 't2 sm truncate',
    title: ({ tags }) => tags.join(', '),
    cell: ({ priority, tags }) => (
      <>
        {priority !== 'normal' && (
          <span className="tag mr-1.25" title={`${capitalize(priority)} priority among the due jobs of its client`}>
            {priority}
          </span>
        )}
        {tags.join(', ')}
      </>
    ),
  },
];

/** Time since the scheduled time of a job. Empty if the job has ended, or its scheduled time is in the future. */
function Late({ job: { state, scheduledFor } }: { job: JobSummary }) {
  const lateMs = useNow() - Date.parse(scheduledFor);
  if (lateMs < 1000 || jobHasEnded(state)) return null;
  return <span className="t3 sm wide">{formatDuration(lateMs)} ago</span>;
}

function Next({ job: { state, dueAt, scheduledFor, endedAt, cause, sidelinedFor } }: { job: JobSummary }) {
  switch (state) {
    case 'pending':
      return dueAt === null || dueAt === scheduledFor ? (
        <span className="t3">at the due time</span>
      ) : (
        <>
          retry at <Time instant={dueAt} withSeconds />
        </>
      );
    case 'waiting':
      return <span className="t3">after others of its key</span>;
    case 'firing':
      return <span className="t3">being called</span>;
    case 'reporting':
      return <>report due {dueAt !== null && <Time instant={dueAt} withSeconds />}</>;
    case 'sidelined':
      return <span title={sidelinedFor ?? undefined}>when the host recovers</span>;
    case 'dead':
      return (
        <span className="c-bad" title={cause ?? undefined}>
          {capitalize(cause ?? 'given up')}
        </span>
      );
    case 'called':
    case 'expired':
    case 'cancelled':
      return endedAt === null ? null : <Time instant={endedAt} withSeconds />;
  }
}
