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
import { effectsOfDiscardedJobs, effectsOfReplayedJobs } from './job-text.ts';

/** Number of items of a group that can be viewed one by one. */
const mostShown = 100;

export function JobPanel({ group, client }: { group: QuarantinedJobGroup; client: string }) {
  const [place, setPlace] = useState(0);
  const list = useQuery(
    listQuarantinedJobsOptions({ query: { client: group.clientId, reason: group.reason, limit: mostShown } }),
  );
  const listed = list.data?.items ?? [];
  const shown = listed[place];
  const job = useQuery({ ...getJobOptions({ path: { id: shown?.id ?? '' } }), enabled: shown !== undefined });
  const beside = {
    onNewer: place === 0 ? null : () => setPlace(place - 1),
    onOlder: place >= listed.length - 1 ? null : () => setPlace(place + 1),
  };
  return (
    <ItemPanel
      one="job"
      id={shown?.id}
      place={{ index: place, items: group.items, ...beside }}
      error={list.error ?? job.error}
      onRetry={() => void job.refetch()}
      footer="A replay keeps the id, so a receiver that remembers ids does nothing twice."
    >
      {job.data && shown && <OneJob key={shown.id} item={shown} job={job.data} client={client} />}
    </ItemPanel>
  );
}

function OneJob({ item, job, client }: { item: QuarantinedJob; job: Job; client: string }) {
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
        <ItemButtons refusals={{ replay: refusal, discard: refusal }} onDecide={setVerb} />
        <Link className="btn s" to="/jobs/$jobId" params={{ jobId: item.id }}>
          All about it
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
  const expiry = { value: '1', unit: 'expired', children: 'Its receiver may have no use for it any more.' };
  return (
    <DecisionDialog
      verb={verb}
      one="job"
      items={1}
      lead={`${method} ${url}`}
      effects={[
        ...(isReplay ? effectsOfReplayedJobs(1, { withExpired: true }) : effectsOfDiscardedJobs(1)),
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
