import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { getClientOptions, getJobOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Job } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { updateStatusOf } from '../../live/update-status.ts';
import { useNow } from '../../parts/browser/now.ts';
import { CopyableId, shortId } from '../../parts/controls/copy-button.tsx';
import { jobHasEnded, jobLook } from '../../parts/jobs/job-looks.ts';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { JobActions } from './job-actions.tsx';
import { JobEntries } from './job-entries.tsx';
import { RequestPanel } from './request-panel.tsx';
import { describeOutcome } from './outcome.ts';

/** Polling interval in milliseconds of a job that has not ended. */
const askEveryMs = 4000;

export function JobView() {
  const { jobId } = useParams({ from: '/jobs/$jobId' });
  const job = useQuery({
    ...getJobOptions({ path: { id: jobId } }),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : askEveryMs),
  });
  const error = useLastError(job);
  const patience = useHasWaited();
  const standing = { ...updateStatusOf(job), isFinal: isOver(job.data) };
  return (
    <Page
      title={shortId(jobId)}
      crumbs={[{ label: 'Jobs', link: { to: '/jobs' } }]}
      freshness={job.data && <Freshness standing={standing} />}
    >
      {job.data && <StaleBanner standing={standing} note="Jobs are still called; only this page is outdated." />}
      {job.data ? (
        <OneJob key={jobId} job={job.data} />
      ) : error === null ? (
        patience && <SkeletonBar width={320} />
      ) : (
        <section className="panel">
          <h1 className="sr-only">Job {jobId}</h1>
          <Failed title="The job could not be read" error={error} onRetry={() => void job.refetch()} />
        </section>
      )}
    </Page>
  );
}

/** Returns true if a job cannot change any more. A dead job may be called again under the same id. */
function isOver(job: Job | undefined): boolean {
  return job !== undefined && jobHasEnded(job.state) && job.state !== 'dead';
}

function OneJob({ job }: { job: Job }) {
  const formatTime = useFormatTime();
  const now = useNow();
  const { data: client } = useQuery(getClientOptions({ path: { id: job.clientId } }));
  const { id, state } = job;
  return (
    <>
      <div className="head">
        <div className="min-w-0">
          <div className="row flex-wrap">
            <h1 className="truncate">{shortId(id)}</h1>
            <LookBadge look={jobLook(state)} tinted />
          </div>
          <p>{describeOutcome(job, now, formatTime)}</p>
          <div className="meta">
            <span>
              Client{' '}
              <Link className="link underline" to="/clients/$client" params={{ client: client?.name ?? job.clientId }}>
                {client?.name ?? shortId(job.clientId)}
              </Link>
            </span>
            {job.tags.length > 0 && (
              <span>
                Tags <b>{job.tags.join(', ')}</b>
              </span>
            )}
            <CopyableId id={id} what="id of the job" />
          </div>
        </div>
        <JobActions job={job} />
      </div>
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,460px)] max-[1100px]:grid-cols-1">
        <JobEntries job={job} />
        <RequestPanel job={job} client={client} />
      </div>
    </>
  );
}
