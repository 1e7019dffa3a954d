import type { useCampaigns } from './use-campaigns.ts';
import { useNavigate } from '@tanstack/react-router';
import { useRefusal } from '../../frame/session/session.ts';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import type { ListedCampaign } from '#client/types.gen.ts';
import { outcomesIn, type OutcomeName } from '../../parts/outcomes/outcomes.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { OutcomeKey } from '../../parts/outcomes/outcome-bar.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { CampaignCard } from './campaign-card.tsx';
import { CampaignRow } from './campaign-row.tsx';
import { hasFilters, noMatch } from './list-filters.ts';
import type { CampaignsSearch } from './search.ts';
import { useStableRows } from './use-campaigns.ts';

interface CampaignListProps {
  query: ReturnType<typeof useCampaigns>;
  search: CampaignsSearch;
  isOld: boolean;
  /** Of the choice, on all pages. */
  total: number | undefined;
  /** Without the choice of a state. */
  totalOfAll: number | undefined;
  onChoose: (change: Partial<CampaignsSearch>) => void;
}

const noFilters = {
  ...{ state: undefined, text: undefined, country: undefined },
  ...{ action: undefined, tag: undefined, owner: undefined },
};

export function CampaignList({ query, search, isOld, total, totalOfAll, onChoose }: CampaignListProps) {
  const container = useRowKeys<HTMLDivElement>();
  const { rows, moved, sortAgain } = useStableRows(query.data?.items ?? [], JSON.stringify(search));
  const navigate = useNavigate();
  const refusal = useRefusal('manager');
  if (query.error && !query.data) {
    return <Failed title="The campaigns could not be read" error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data && rows.length === 0) {
    if (hasFilters(search)) return <NothingFound {...{ search, totalOfAll, onChoose }} />;
    return (
      <Empty
        icon="campaign"
        title="No campaigns yet"
        action={
          <Button kind="ink" icon="plus" refusal={refusal} onClick={() => void navigate({ to: '/campaigns/new' })}>
            New campaign
          </Button>
        }
      >
        A campaign has an audience, steps such as a reward and a message, and a start. It stays a draft until you start
        it: count its audience, send a test and do a dry run first.
      </Empty>
    );
  }
  return (
    <>
      <div ref={container} className={isOld ? 'old' : undefined}>
        <div className="narrow">
          {rows.map((campaign) => (
            <CampaignCard key={campaign.id} campaign={campaign} />
          ))}
        </div>
        <div className="scroll wide">
          <table className="table-fixed min-w-250">
            <thead>
              <tr>
                <SortHead name="State" by={undefined} {...{ search, onChoose }} className="w-36" />
                <SortHead name="Campaign" by="name" {...{ search, onChoose }} />
                <th scope="col" className="w-55.5">
                  Chain, countries
                </th>
                <th scope="col" className="w-43">
                  Outcome of the last run
                </th>
                <th scope="col" className="w-42.5 text-right">
                  Through the chain
                </th>
                <SortHead name="ETA, next run or end" by="next" {...{ search, onChoose }} className="w-53" />
                <th scope="col" className="w-13">
                  <span className="sr-only">More</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {query.data ? (
                rows.map((campaign) => <CampaignRow key={campaign.id} campaign={campaign} />)
              ) : (
                <SkeletonRows rows={8} columns={[80, 160, 190, 150, 90, 120, 16]} tall />
              )}
            </tbody>
          </table>
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
    </>
  );
}

interface SortHeadProps extends Pick<CampaignListProps, 'search' | 'onChoose'> {
  name: string;
  /** Undefined: as it is without a choice. */
  by: CampaignsSearch['sort'];
  className?: string;
}

/** A head that the server sorts by: by state and then in the order of time, by name, by what is next. */
function SortHead({ name, by, search, onChoose, className }: SortHeadProps) {
  const isChosen = search.sort === by;
  return (
    <th scope="col" className={className} aria-sort={isChosen ? 'ascending' : undefined}>
      <button
        type="button"
        className="inline-flex items-center gap-1.25 hover:text-main"
        onClick={() => onChoose({ sort: by, cursor: undefined })}
      >
        {name} {isChosen && <Icon name="dn" size={12} />}
      </button>
    </th>
  );
}

/** Of what the bars hold: those that every run may have, and what else somebody has. */
function legendOf(rows: readonly ListedCampaign[]): OutcomeName[] {
  const lines = rows.flatMap(({ run }) => run?.lastStep ?? []);
  return lines.length === 0 ? [] : outcomesIn(lines, ['succeeded', 'failed', 'pending']);
}

function NothingFound({ search, totalOfAll, onChoose }: Pick<CampaignListProps, 'search' | 'totalOfAll' | 'onChoose'>) {
  const { drop, words } = noMatch(search, totalOfAll);
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
