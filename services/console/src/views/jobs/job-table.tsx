import { Link } from '@tanstack/react-router';
import type { JobSummary } from '#client/types.gen.ts';
import { useNow } from '../../parts/browser/now.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { jobHasEnded, jobLook } from '../../parts/jobs/job-looks.ts';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { RowCheck } from '../../parts/lists/row-check.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { capitalOf } from '../../parts/words/figures.ts';
import type { Selection } from './selection-bar.tsx';

interface JobTableProps {
  /** Undefined while they are asked for. */
  jobs: readonly JobSummary[] | undefined;
  clients: Clients;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  isOld: boolean;
}

export function JobTable({ jobs, clients, selection, onSelect, isOld }: JobTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  const shown = jobs ?? [];
  const areAll = shown.length > 0 && shown.every(({ id }) => selection.jobs.has(id));
  const toggleAll = () => {
    const chosen = new Map(selection.jobs);
    for (const { id, clientId } of shown) {
      if (areAll) chosen.delete(id);
      else chosen.set(id, clientId);
    }
    onSelect({ jobs: chosen, isAll: false });
  };
  return (
    <div className="scroll">
      <table className={`d30 table-fixed min-w-245 ${isOld ? 'old' : ''}`}>
        <caption className="sr-only">Jobs</caption>
        <thead>
          <tr>
            <th scope="col" className="w-10.5 phone:w-9">
              <RowCheck
                aria-label="Select all on this page"
                checked={areAll}
                disabled={shown.length === 0}
                onChange={toggleAll}
              />
            </th>
            <th scope="col" className="w-27.5 phone:w-24">
              State
            </th>
            <th scope="col" className="w-44 wide">
              Job
            </th>
            <th scope="col" className="w-28 wide">
              Client
            </th>
            <th scope="col" className="w-44 phone:w-19">
              Due
            </th>
            <th scope="col">Calls</th>
            <th scope="col" className="w-18 text-right wide">
              Attempt
            </th>
            <th scope="col" className="w-40 wide">
              Next, or end
            </th>
            <th scope="col" className="w-26 wide">
              Priority, tags
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {jobs?.map((job) => (
            <JobRow
              key={job.id}
              job={job}
              client={clients.nameOf(job.clientId)}
              isSelected={selection.isAll || selection.jobs.has(job.id)}
              onToggle={() => onSelect(toggled(selection, job))}
            />
          )) ?? <SkeletonRows rows={12} columns={[14, 80, 130, 70, 120, 220, 30, 110, 50]} />}
        </tbody>
      </table>
    </div>
  );
}

function toggled({ jobs }: Selection, { id, clientId }: JobSummary): Selection {
  const chosen = new Map(jobs);
  if (!chosen.delete(id)) chosen.set(id, clientId);
  return { jobs: chosen, isAll: false };
}

interface JobRowProps {
  job: JobSummary;
  client: string;
  isSelected: boolean;
  onToggle: () => void;
}

/** One line where there is room; on a phone as many as it takes. */
const wrapped = 'truncate phone:whitespace-normal phone:wrap-anywhere phone:py-2 phone:leading-4.5';

function JobRow({ job, client, isSelected, onToggle }: JobRowProps) {
  const { id, state, scheduledFor, url, attempt, tags, priority } = job;
  return (
    <tr data-row className={isSelected ? 'sel' : undefined}>
      <td>
        <RowCheck aria-label={`Job ${shortId(id)}`} checked={isSelected} data-row-select onChange={onToggle} />
      </td>
      <td>
        <LookBadge look={jobLook(state)} />
      </td>
      <td className="mono truncate t2 wide">
        <Link className="hover:underline" to="/jobs/$jobId" params={{ jobId: id }} title={id} data-row-link>
          {shortId(id)}
        </Link>
      </td>
      <td className="font-medium truncate wide">{client}</td>
      <td className={wrapped}>
        <Time instant={scheduledFor} withSeconds /> <Late job={job} />
      </td>
      <td className={wrapped}>
        <Link className="narrow" to="/jobs/$jobId" params={{ jobId: id }}>
          <CallUrl url={url} />
        </Link>
        <span className="wide">
          <CallUrl url={url} />
        </span>
      </td>
      <td className={`text-right wide ${attempt === 1 ? 't3' : ''}`}>{attempt}</td>
      <td className="truncate wide">
        <Next job={job} />
      </td>
      <td className="t2 sm truncate wide" title={tags.join(', ')}>
        {priority !== 'normal' && (
          <span className="tag mr-1.25" title={`${capitalOf(priority)} priority beside what else is due of its client`}>
            {priority}
          </span>
        )}
        {tags.join(', ')}
      </td>
    </tr>
  );
}

/** How long ago it should have been called; nothing where it has ended, or is to come. */
function Late({ job: { state, scheduledFor } }: { job: JobSummary }) {
  const lateMs = useNow() - Date.parse(scheduledFor);
  if (lateMs < 1000 || jobHasEnded(state)) return null;
  return <span className="t3 sm wide">{formatDuration(lateMs)} ago</span>;
}

function Next({ job: { state, dueAt, scheduledFor, endedAt, cause, sidelinedFor } }: { job: JobSummary }) {
  switch (state) {
    case 'pending':
      return dueAt === null || dueAt === scheduledFor ? (
        <span className="t3">at its time</span>
      ) : (
        <>
          again <Time instant={dueAt} withSeconds />
        </>
      );
    case 'waiting':
      return <span className="t3">after others of its key</span>;
    case 'firing':
      return <span className="t3">being called</span>;
    case 'reporting':
      return <>reported by {dueAt !== null && <Time instant={dueAt} withSeconds />}</>;
    case 'sidelined':
      return <span title={sidelinedFor ?? undefined}>when it recovers</span>;
    case 'dead':
      return (
        <span className="c-bad" title={cause ?? undefined}>
          {capitalOf(cause ?? 'given up')}
        </span>
      );
    case 'called':
    case 'expired':
    case 'cancelled':
      return endedAt === null ? null : <Time instant={endedAt} withSeconds />;
  }
}
