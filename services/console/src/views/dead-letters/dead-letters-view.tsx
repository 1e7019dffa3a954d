import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  groupDeadJobsOptions,
  groupDeadLettersOptions,
  listQuarantinedStepsOptions,
} from '#client/@tanstack/react-query.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { standingOf } from '../../live/staleness.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { DeadJobs } from './dead-jobs.tsx';
import { Letters } from './letters.tsx';
import type { setAside } from './search.ts';
import { Steps } from './steps.tsx';

const route = getRouteApi('/dead-letters');
const lookEveryMs = 4000;

/** What was given up or set aside: jobs whose calls failed to the last, messages that were not understood or not believed, and steps whose calls ended their workers. */
export function DeadLettersView() {
  const { id, show, client } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = useQuery({ ...groupDeadLettersOptions({ query: { state: 'kept' } }), refetchInterval: lookEveryMs });
  const steps = useQuery({
    ...listQuarantinedStepsOptions({ query: { state: 'kept', limit: 200 } }),
    refetchInterval: lookEveryMs,
  });
  const jobs = useQuery({
    ...groupDeadJobsOptions({ query: client === undefined ? {} : { client } }),
    // They are counted anew each time.
    refetchInterval: show === undefined || show === 'jobs' ? lookEveryMs : 60_000,
  });
  const [jobsError, groupsError, stepsError] = [useKeptError(jobs), useKeptError(groups), useKeptError(steps)];
  const letters = groups.data?.items.reduce((sum, group) => sum + group.letters, 0);
  const dead = jobs.data?.items.reduce((sum, group) => sum + group.jobs, 0);
  const first = useFirst({ jobs: dead, messages: letters, steps: steps.data?.items.length });
  const shown = show ?? (id === undefined ? first : id.startsWith('qst_') ? 'steps' : 'messages');
  const current = { jobs, messages: groups, steps }[shown];
  const standing = standingOf(current);
  const isOld = useIsStale(standing);
  return (
    <Page title="Dead letters" freshness={current.data && <Freshness standing={standing} />}>
      <StaleBanner standing={standing} note="What was set aside stays where it is." />
      <Chips
        label="What was set aside"
        chosen={shown}
        chips={[
          { value: 'jobs', label: 'Callbacks', count: dead },
          { value: 'messages', label: 'Messages', count: letters },
          { value: 'steps', label: 'Quarantined steps', count: steps.data?.items.length },
        ]}
        onChoose={(value) => void navigate({ search: { show: value }, replace: true })}
      />
      <div className={isOld ? 'old' : undefined}>
        {shown === 'jobs' ? (
          <DeadJobs groups={jobs.data?.items} error={jobsError} onRetry={() => void jobs.refetch()} />
        ) : shown === 'steps' ? (
          <Steps
            steps={steps.data?.items}
            hasMore={typeof steps.data?.next === 'string'}
            error={stepsError}
            onRetry={() => void steps.refetch()}
          />
        ) : (
          <Letters groups={groups.data?.items} error={groupsError} onRetry={() => void groups.refetch()} />
        )}
      </div>
    </Page>
  );
}

type SetAside = (typeof setAside)[number];

/**
 * What is shown where nobody has chosen: what something lies in, once that is known. It does not change by itself
 * later, when the last of it was settled.
 */
function useFirst(counts: Readonly<Record<SetAside, number | undefined>>): SetAside {
  const [first, setFirst] = useState<SetAside>();
  const { jobs, messages, steps } = counts;
  if (first === undefined && jobs !== undefined && messages !== undefined && steps !== undefined) {
    setFirst(jobs > 0 ? 'jobs' : messages === 0 && steps > 0 ? 'steps' : 'messages');
  }
  return first ?? 'messages';
}
