import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getApprovalOptions, listApprovalsOptions } from '#client/@tanstack/react-query.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { updateStatusOf } from '../../live/update-status.ts';
import { Freshness } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { ApprovalDetail } from './approval-detail.tsx';
import { ApprovalList } from './approval-list.tsx';

const route = getRouteApi('/approvals');
const lookEveryMs = 4000;
const maxDecided = 10;

export function ApprovalsView() {
  const { id } = route.useSearch();
  const often = { refetchInterval: lookEveryMs };
  const waiting = useQuery({ ...listApprovalsOptions({ query: { state: 'waiting', limit: 200 } }), ...often });
  const newest = useQuery({ ...listApprovalsOptions({ query: { limit: 50 } }), ...often });
  const inTurn = (waiting.data?.items ?? []).toSorted((a, b) => (a.startsAt ?? '').localeCompare(b.startsAt ?? ''));
  const decided = (newest.data?.items ?? []).filter(({ state }) => state !== 'waiting').slice(0, maxDecided);
  const selectedId = id ?? inTurn[0]?.id;
  const selected = useQuery({
    ...getApprovalOptions({ path: { id: selectedId ?? '' } }),
    ...often,
    enabled: selectedId !== undefined,
  });
  const error = useLastError(waiting);
  const selectedError = useLastError(selected);
  const patience = useHasWaited();
  return (
    <Page title="Approvals" freshness={<Freshness standing={updateStatusOf(waiting)} />}>
      {!waiting.data && error !== null ? (
        <Failed title="The approvals could not be read" error={error} onRetry={() => void waiting.refetch()} />
      ) : (
        <div className="grid grid-cols-[276px_minmax(0,1fr)] gap-4 items-start max-[1100px]:grid-cols-1">
          <div className="grid gap-3 min-w-0 max-[1100px]:order-last">
            <ApprovalList title="Waiting" note="soonest start first" items={inTurn} selectedId={selectedId}>
              {waiting.data ? 'Nothing waits for an approval.' : 'Loading…'}
            </ApprovalList>
            <ApprovalList title="Decided" note="newest first" items={decided} selectedId={selectedId}>
              {newest.data ? 'Nothing has been decided yet.' : 'Loading…'}
            </ApprovalList>
          </div>
          {selected.data ? (
            <ApprovalDetail key={selected.data.id} approval={selected.data} />
          ) : selectedError !== null ? (
            <Failed
              title="The approval could not be read"
              error={selectedError}
              onRetry={() => void selected.refetch()}
            />
          ) : selectedId === undefined && waiting.data ? (
            <section className="panel">
              <Empty icon="review" title="Nothing waits for an approval">
                The approval policy of this installation names the campaigns that other people have to approve, for
                example above a number of users. Their authors submit them, and you decide here with the dry run, the
                test sends and the changes in sight. Runs that reach more users than were approved wait here too.
              </Empty>
            </section>
          ) : (
            patience && <SkeletonBar width={260} />
          )}
        </div>
      )}
    </Page>
  );
}
