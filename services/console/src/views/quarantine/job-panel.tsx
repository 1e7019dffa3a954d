import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getJobOptions, listQuarantinedJobsOptions } from '#client/@tanstack/react-query.gen.ts';
import { discardQuarantinedJob, replayQuarantinedJob } from '#client/sdk.gen.ts';
import type { Job, QuarantinedJob, QuarantinedJobGroup } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import type { Verb } from './item-list.tsx';
import { ItemButtons, ItemPanel } from './item-panel.tsx';
import { describeDiscardedJobs, describeReplayedJobs } from './job-effects.ts';

/** Number of items of a group that can be viewed one by one. */
const maxItems = 100;

export function JobPanel({ group, client }: { group: QuarantinedJobGroup; client: string }) {
  const [place, setPlace] = useState(0);
  const list = useQuery(
    listQuarantinedJobsOptions({ query: { client: group.clientId, reason: group.reason, limit: maxItems } }),
  );
  const listed = list.data?.items ?? [];
  const item = listed[place];
  const job = useQuery({ ...getJobOptions({ path: { id: item?.id ?? '' } }), enabled: item !== undefined });
  const neighbours = {
    onNewer: place === 0 ? null : () => setPlace(place - 1),
    onOlder: place >= listed.length - 1 ? null : () => setPlace(place + 1),
  };
  return (
    <ItemPanel
      noun="job"
      id={item?.id}
      place={{ index: place, items: group.items, ...neighbours }}
      error={list.error ?? job.error}
      onRetry={() => void job.refetch()}
      footer="A replay keeps the job id, so a receiver that deduplicates by id does nothing twice."
    >
      {job.data && item && <JobDetail key={item.id} item={item} job={job.data} client={client} />}
    </ItemPanel>
  );
}

function JobDetail({ item, job, client }: { item: QuarantinedJob; job: Job; client: string }) {
  const [verb, setVerb] = useState<Verb>();
  const refusal = useRefusal('scheduler');
  const answer = job.attempts.at(-1)?.answer ?? null;
  const { expiresAt, expired } = item;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pt-3 pb-3.5 phone:px-3">
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Due</dt>
        <dd>
          <Time instant={item.scheduledFor} withSeconds />, of <b>{client}</b>
        </dd>
        <dt>Given up</dt>
        <dd>
          <Time instant={item.since} withSeconds /> after {countOf(item.attempts, 'call')}
        </dd>
        {expiresAt !== null && (
          <>
            <dt>Relevant until</dt>
            <dd className={expired ? 'c-warn' : undefined}>
              <Time instant={expiresAt} withSeconds /> {expired && 'expired'}
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
        job.withheld && <p className="t3 sm">Body and answers are hidden from read-only keys.</p>
      )}
      <div className="row">
        <ItemButtons refusals={{ replay: refusal, discard: refusal }} onDecide={setVerb} />
        <Link className="btn s" to="/jobs/$jobId" params={{ jobId: item.id }}>
          Open the job
        </Link>
      </div>
      {verb && <JobDialog verb={verb} item={item} onClose={() => setVerb(undefined)} />}
    </div>
  );
}

interface JobDialogProps {
  verb: Verb;
  item: QuarantinedJob;
  onClose: () => void;
}

function JobDialog({ verb, item: { id, method, url, expired }, onClose }: JobDialogProps) {
  const isReplay = verb === 'replay';
  const expiry = { value: '1', unit: 'expired', children: 'The receiver may no longer need it.' };
  return (
    <DecisionDialog
      verb={verb}
      noun="job"
      items={1}
      lead={`${method} ${url}`}
      effects={[
        ...(isReplay ? describeReplayedJobs(1, { withExpired: true }) : describeDiscardedJobs(1)),
        ...(isReplay && expired ? [expiry] : []),
      ]}
      act={() =>
        isReplay
          ? replayQuarantinedJob({ path: { id }, body: { withExpired: expired }, throwOnError: true })
          : discardQuarantinedJob({ path: { id }, throwOnError: true })
      }
      onClose={onClose}
    />
  );
}

function Attempts({ job: { attempts } }: { job: Job }) {
  return (
    <div className="overflow-x-auto border border-line rounded-md [--row:26px]">
      <DataTable caption="Calls of the job" columns={callColumns} rows={attempts} keyOf={({ attempt }) => attempt} />
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
