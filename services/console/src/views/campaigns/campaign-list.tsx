import type { useCampaigns } from './use-campaigns.ts';
import { useNavigate } from '@tanstack/react-router';
import { useRefusal } from '../../frame/session/session.ts';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import type { ListedCampaign } from '#client/types.gen.ts';
import { outcomesIn, type OutcomeName } from '../../parts/outcomes/outcomes.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { useListedProgress } from '../../live/live-runs.ts';
import { OutcomeKey } from '../../parts/outcomes/outcome-bar.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { CampaignCard } from './campaign-card.tsx';
import { createCampaignColumns } from './campaign-columns.tsx';
import { hasFilters, describeNoMatch } from './list-filters.ts';
import type { CampaignsSearch } from './search.ts';
import { applyProgress } from './row-progress.ts';
import { useStableRows } from './use-campaigns.ts';

interface CampaignListProps {
  query: ReturnType<typeof useCampaigns>;
  search: CampaignsSearch;
  isOld: boolean;
  /** Number of campaigns with the current filters, on all pages. */
  total: number | undefined;
  /** Number of campaigns with the current filters, in any state. */
  totalOfAll: number | undefined;
  onChoose: (change: Partial<CampaignsSearch>) => void;
}

const noFilters = {
  state: undefined,
  text: undefined,
  country: undefined,
  action: undefined,
  tag: undefined,
  owner: undefined,
};

export function CampaignList({ query, search, isOld, total, totalOfAll, onChoose }: CampaignListProps) {
  const container = useRowKeys<HTMLDivElement>();
  const { rows, moved, sortAgain } = useStableRows(query.data?.items ?? [], JSON.stringify(search));
  const live = useLiveRows(rows);
  const navigate = useNavigate();
  const refusal = useRefusal('manager');
  const sortOf = (by: CampaignsSearch['sort']) => ({
    ...(search.sort === by && { sorted: 'ascending' as const }),
    onSort: () => onChoose({ sort: by, cursor: undefined }),
  });
  return (
    <ListView
      what="The campaigns"
      query={query}
      items={query.data && rows}
      empty={
        hasFilters(search) ? (
          <NothingFound search={search} totalOfAll={totalOfAll} onChoose={onChoose} />
        ) : (
          <Empty
            icon="campaign"
            title="No campaigns yet"
            action={
              <Button kind="ink" icon="plus" refusal={refusal} onClick={() => void navigate({ to: '/campaigns/new' })}>
                New campaign
              </Button>
            }
          >
            A campaign has an audience, steps such as a reward and a message, and a start. It stays a draft until you
            start it: count its audience, send a test and do a dry run first.
          </Empty>
        )
      }
    >
      <div ref={container} className={isOld ? 'old' : undefined}>
        <div className="narrow">
          {live.map((campaign) => (
            <CampaignCard key={campaign.id} campaign={campaign} />
          ))}
        </div>
        <div className="scroll wide">
          <DataTable
            caption="Campaigns"
            className="table-fixed min-w-250"
            columns={createCampaignColumns(sortOf)}
            rows={query.data && live}
            keyOf={({ id }) => id}
            isTall
            hasRowKeys="around"
            loadingRows={8}
          />
        </div>
      </div>
      <Paging
        cursor={search.cursor}
        next={query.data?.next}
        onGo={(cursor) => onChoose({ cursor })}
        words={{ before: 'Back', behind: 'Next' }}
        legend={legendOf(rows).map((outcome) => (
          <OutcomeKey key={outcome} outcome={outcome} />
        ))}
      >
        {query.data && `${formatCount(rows.length)} of ${total === undefined ? '…' : formatCount(total)} campaigns`}
        {moved > 0 && (
          <>
            {' · '}
            <button type="button" className="link" onClick={sortAgain}>
              {moved} rows moved · sort again
            </button>
          </>
        )}
      </Paging>
    </ListView>
  );
}

/** Adds the progress that the stream has sent since the list was loaded. */
function useLiveRows(rows: readonly ListedCampaign[]): readonly ListedCampaign[] {
  const progress = useListedProgress(rows.flatMap(({ run }) => run?.runId ?? []));
  return rows.map((campaign) => applyProgress(campaign, progress.get(campaign.run?.runId ?? '')));
}

/** Returns the outcomes in the legend: succeeded, failed, pending, and any others that occur in the rows. */
function legendOf(rows: readonly ListedCampaign[]): OutcomeName[] {
  const lines = rows.flatMap(({ run }) => run?.lastStep ?? []);
  return lines.length === 0 ? [] : outcomesIn(lines, ['succeeded', 'failed', 'pending']);
}

function NothingFound({ search, totalOfAll, onChoose }: Pick<CampaignListProps, 'search' | 'totalOfAll' | 'onChoose'>) {
  const { drop, words } = describeNoMatch(search, totalOfAll);
  return (
    <NoMatch
      title="No campaign matches"
      {...(drop && { drop: { name: drop.name, onDrop: () => onChoose(drop.off) } })}
      onClear={() => onChoose(noFilters)}
    >
      {words}
    </NoMatch>
  );
}
