import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { groupDeadLettersOptions, listQuarantinedStepsOptions } from '#client/@tanstack/react-query.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { standingOf } from '../../live/staleness.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { Letters } from './letters.tsx';
import { Steps } from './steps.tsx';

const route = getRouteApi('/dead-letters');
const lookEveryMs = 4000;

/** What the engine set aside: messages that were not understood or not believed, and steps whose calls ended their workers. */
export function DeadLettersView() {
  const { id, show } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = useQuery({ ...groupDeadLettersOptions({ query: { state: 'kept' } }), refetchInterval: lookEveryMs });
  const steps = useQuery({
    ...listQuarantinedStepsOptions({ query: { state: 'kept', limit: 200 } }),
    refetchInterval: lookEveryMs,
  });
  const [groupsError, stepsError] = [useKeptError(groups), useKeptError(steps)];
  const shown = show ?? (id?.startsWith('qst_') === true ? 'steps' : 'messages');
  const letters = groups.data?.items.reduce((sum, group) => sum + group.letters, 0);
  const current = shown === 'steps' ? steps : groups;
  const standing = standingOf(current);
  const isOld = useIsStale(standing);
  return (
    <Page title="Dead letters" freshness={current.data && <Freshness standing={standing} />}>
      <StaleBanner standing={standing} note="What was set aside stays where it is." />
      <Chips
        label="What was set aside"
        chosen={shown}
        chips={[
          { value: 'messages', label: 'Messages', count: letters },
          { value: 'steps', label: 'Quarantined steps', count: steps.data?.items.length },
        ]}
        onChoose={(value) =>
          void navigate({ search: { show: value === 'messages' ? undefined : value }, replace: true })
        }
      />
      <div className={isOld ? 'old' : undefined}>
        {shown === 'steps' ? (
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
