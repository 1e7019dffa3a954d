import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  groupQuarantinedJobsOptions,
  groupQuarantinedMessagesOptions,
  listQuarantinedStepsOptions,
} from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { updateStatusOf } from '../../live/update-status.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { Jobs } from './jobs.tsx';
import { Messages } from './messages.tsx';
import { kinds, type Kind } from './search.ts';
import { Steps } from './steps.tsx';

const route = getRouteApi('/quarantine');
const pollEveryMs = 4000;

const kindLabels: Readonly<Record<Kind, string>> = { job: 'Jobs', message: 'Messages', step: 'Steps' };

/** View of quarantined jobs, messages and steps, which failed repeatedly and await a person's decision. */
export function QuarantineView() {
  const { id, kind, client } = route.useSearch();
  const navigate = route.useNavigate();
  const messages = useQuery({
    ...groupQuarantinedMessagesOptions({ query: { state: 'kept' } }),
    refetchInterval: pollEveryMs,
  });
  const steps = useQuery({
    ...listQuarantinedStepsOptions({ query: { state: 'kept', limit: 200 } }),
    refetchInterval: pollEveryMs,
  });
  const jobs = useQuery({
    ...groupQuarantinedJobsOptions({ query: client === undefined ? {} : { client } }),
    // The API counts dead jobs for each request, so the request is rare while another kind is shown.
    refetchInterval: kind === undefined || kind === 'job' ? pollEveryMs : 60_000,
  });
  const counts = {
    job: countItems(jobs.data?.items),
    message: countItems(messages.data?.items),
    step: steps.data?.items.length,
  };
  const first = useDefaultKind(counts);
  const visibleKind = kind ?? (id === undefined ? first : id.startsWith('qst_') ? 'step' : 'message');
  const current = { job: jobs, message: messages, step: steps }[visibleKind];
  const standing = updateStatusOf(current);
  const isOld = useIsStale(standing);
  return (
    <Page title="Quarantine" freshness={current.data && <Freshness standing={standing} />}>
      <StaleBanner standing={standing} note="Quarantined items stay where they are." />
      <Chips
        label="Kind of item"
        chosen={visibleKind}
        chips={Object.values(kinds).map((value) => ({ value, label: kindLabels[value], count: counts[value] }))}
        onChoose={(value) => void navigate({ search: { kind: value }, replace: true })}
      />
      <div className={isOld ? 'old' : undefined}>
        {visibleKind === 'job' ? (
          <Jobs groups={jobs.data?.items} query={jobs} />
        ) : visibleKind === 'step' ? (
          <Steps steps={steps.data?.items} hasMore={typeof steps.data?.next === 'string'} query={steps} />
        ) : (
          <Messages groups={messages.data?.items} query={messages} />
        )}
      </div>
    </Page>
  );
}

function countItems(groups: readonly { items: number }[] | undefined): number | undefined {
  return groups?.reduce((sum, { items }) => sum + items, 0);
}

/** Returns the default kind: one with items, once all counts are loaded. It does not change later. */
function useDefaultKind(counts: Readonly<Record<Kind, number | undefined>>): Kind {
  const [first, setFirst] = useState<Kind>();
  const { job, message, step } = counts;
  if (first === undefined && job !== undefined && message !== undefined && step !== undefined) {
    setFirst(job > 0 ? 'job' : message === 0 && step > 0 ? 'step' : 'message');
  }
  return first ?? 'message';
}
