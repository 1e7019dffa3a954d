import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getJobOptions, listDeadJobsOptions } from '#client/@tanstack/react-query.gen.ts';
import { discardDeadJob, replayDeadJob } from '#client/sdk.gen.ts';
import type { DeadJob, DeadJobGroup, Job } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Neighbours } from './neighbours.tsx';

/** So many of a group can be gone through one by one. */
const mostShown = 100;

/** One of a group: when it was due, its calls, what was answered, what was sent. */
export function DeadJobPanel({ group, client }: { group: DeadJobGroup; client: string }) {
  const [place, setPlace] = useState(0);
  const list = useQuery(
    listDeadJobsOptions({ query: { client: group.clientId, cause: group.cause, limit: mostShown } }),
  );
  const dead = list.data?.items ?? [];
  const shown = dead[place];
  const job = useQuery({ ...getJobOptions({ path: { id: shown?.id ?? '' } }), enabled: shown !== undefined });
  const error = list.error ?? job.error;
  return (
    <Panel
      title={`${formatCount(place + 1)} of ${formatCount(group.jobs)}`}
      note={shown && <CopyableId id={shown.id} what="id of the job" />}
      actions={
        <Neighbours
          onNewer={place === 0 ? null : () => setPlace(place - 1)}
          onOlder={place >= dead.length - 1 ? null : () => setPlace(place + 1)}
        />
      }
      footer="A replay keeps the id, so a receiver that remembers ids does nothing twice."
    >
      {error !== null ? (
        <Failed title="The dead job could not be read" error={error} onRetry={() => void job.refetch()} />
      ) : job.data && shown ? (
        <OneDead key={shown.id} dead={shown} job={job.data} client={client} />
      ) : (
        <div className="grid gap-3 px-4 pt-3 pb-3.5" aria-hidden="true">
          <SkeletonBar width={220} />
          <SkeletonBar width={180} />
        </div>
      )}
    </Panel>
  );
}

function OneDead({ dead, job, client }: { dead: DeadJob; job: Job; client: string }) {
  const [asked, setAsked] = useState<'replay' | 'discard'>();
  const refusal = useRefusal('scheduler');
  const answer = job.attempts.at(-1)?.answer ?? null;
  const { id, expiresAt, expired } = dead;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pt-3 pb-3.5 phone:px-3">
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Due</dt>
        <dd>
          <Time instant={dead.scheduledFor} withSeconds />, of <b>{client}</b>
        </dd>
        <dt>Given up</dt>
        <dd>
          <Time instant={dead.diedAt} withSeconds /> after {countOf(dead.attempts, 'call')}
        </dd>
        {expiresAt !== null && (
          <>
            <dt>Relevant until</dt>
            <dd className={expired ? 'c-warn' : undefined}>
              <Time instant={expiresAt} withSeconds /> {expired && 'has passed'}
            </dd>
          </>
        )}
      </dl>
      {job.attempts.length > 0 && <Attempts job={job} />}
      {answer !== null && answer !== '' && (
        <div>
          <div className="row mb-1">
            <h3>Last answer</h3>
            <span className="t3 sm">first 4 KB, secrets removed</span>
          </div>
          <pre className="bytes max-h-50" tabIndex={0} aria-label="The last answer">
            {answer}
          </pre>
        </div>
      )}
      <div className="row flex-wrap">
        <h3>Request</h3>
        <span className="mono t2 sm wrap-anywhere">
          {job.method} {job.url}
        </span>
      </div>
      {job.body !== null ? (
        <pre className="bytes max-h-60" tabIndex={0} aria-label="The body">
          {job.body}
        </pre>
      ) : (
        job.withheld && <p className="t3 sm">Body and answers are not shown to a key that only looks.</p>
      )}
      <div className="row">
        <Button small icon="retry" refusal={refusal} onClick={() => setAsked('replay')}>
          Call it again…
        </Button>
        <Button small kind="bad" refusal={refusal} onClick={() => setAsked('discard')}>
          Discard it…
        </Button>
        <Link className="btn s" to="/jobs/$jobId" params={{ jobId: id }}>
          All about it
        </Link>
      </div>
      {asked === 'replay' && (
        <VerbDialog
          title="Call the dead job again?"
          lead={`${job.method} ${job.url}`}
          verb={expired ? 'Call it although it has expired' : 'Call it again'}
          leave="Leave it"
          act={() => replayDeadJob({ path: { id }, body: { withExpired: expired }, throwOnError: true })}
          onClose={() => setAsked(undefined)}
        >
          It is due at once under the same id and webhook-id, with all of its attempts before it.
        </VerbDialog>
      )}
      {asked === 'discard' && (
        <VerbDialog
          title="Discard the dead job?"
          lead={`${job.method} ${job.url}`}
          verb="Discard it"
          leave="Leave it"
          isGrave
          act={() => discardDeadJob({ path: { id }, throwOnError: true })}
          onClose={() => setAsked(undefined)}
        >
          Nobody calls it again, and what was to be sent is deleted. It stays in the list of jobs as dead.
        </VerbDialog>
      )}
    </div>
  );
}

function Attempts({ job: { attempts } }: { job: Job }) {
  return (
    <div className="overflow-x-auto border border-line rounded-md [--row:26px]">
      <DataTable caption="Its calls" columns={callColumns} rows={attempts} keyOf={({ attempt }) => attempt} />
    </div>
  );
}

const callColumns: readonly Column<Job['attempts'][number]>[] = [
  { header: 'Attempt', cell: ({ attempt }) => attempt },
  { header: 'At', look: 'whitespace-nowrap', cell: ({ at }) => <Time instant={at} withSeconds /> },
  { header: 'Answer', look: 'c-bad wrap-anywhere', cell: ({ status, error }) => status ?? error ?? 'none' },
  {
    header: 'Took',
    align: 'right',
    look: 'whitespace-nowrap',
    cell: ({ latencyMs }) => (latencyMs === null ? '–' : formatDuration(latencyMs)),
  },
];
