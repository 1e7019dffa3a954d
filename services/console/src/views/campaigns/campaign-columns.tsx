import { Link } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import { useCurrentMinute } from '../../parts/browser/now.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { OutcomeBar } from '../../parts/outcomes/outcome-bar.tsx';
import { StateBadge, StateCause } from '../../parts/standing/state-badge.tsx';
import { plainText } from '../../parts/words/plain-text.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { campaignLink, displayStateOf } from '../../parts/campaign/listed-campaign.ts';
import { RowMenu } from './row-menu.tsx';
import { countAudience, describeAudience, findCause, formatCodes, describeNext, describeSuccess } from './row-words.ts';
import type { CampaignsSearch } from './search.ts';
import { titlesOf } from '../../parts/words/action-titles.ts';

/** @param sortOf returns the sorting of a column; called with undefined for the column of the default order */
export function createCampaignColumns(
  sortOf: (by: CampaignsSearch['sort']) => Sort,
): readonly Column<ListedCampaign>[] {
  return [
    {
      header: 'State',
      ...sortOf(undefined),
      width: 'w-36',
      cell: (campaign) => <State campaign={campaign} />,
    },
    {
      header: 'Campaign',
      ...sortOf('name'),
      cell: (campaign) => <Name campaign={campaign} />,
      below: (campaign) => <TagsAndAudience campaign={campaign} />,
    },
    {
      header: 'Chain, countries',
      width: 'w-55.5',
      cell: ({ chain }) => <div className="truncate">{titlesOf(chain, ' → ')}</div>,
      below: ({ countries }) => formatCodes(countries, 'country', 'countries'),
    },
    {
      header: 'Outcome of the last run',
      width: 'w-43',
      cell: ({ run }) => (run ? <RunBar run={run} /> : <span className="t3 sm">No run yet</span>),
    },
    {
      header: 'Through the chain',
      align: 'right',
      width: 'w-42.5',
      cell: ({ run }) => describeSuccess(run).first,
      below: ({ run }) => describeSuccess(run).second,
    },
    {
      header: 'ETA, next run or end',
      ...sortOf('next'),
      width: 'w-53',
      look: 'two',
      cell: (campaign) => <Next campaign={campaign} />,
    },
    {
      header: 'More',
      isHeaderHidden: true,
      align: 'right',
      width: 'w-13',
      cell: (campaign) => <RowMenu campaign={campaign} />,
    },
  ];
}

type Sort = Pick<Column<ListedCampaign>, 'sorted' | 'onSort'>;

interface CampaignProps {
  campaign: ListedCampaign;
}

function State({ campaign }: CampaignProps) {
  const cause = findCause(campaign);
  return (
    <>
      <StateBadge state={displayStateOf(campaign)} />
      {cause && <StateCause tone={cause.tone}>{cause.words}</StateCause>}
    </>
  );
}

/** Name of a campaign. The link covers the whole row and leads to the page that explains the state. */
function Name({ campaign }: CampaignProps) {
  const name = plainText(campaign.name);
  return (
    <div className="font-medium truncate">
      <Link {...campaignLink(campaign)} className="after:absolute after:inset-0" data-row-link title={name}>
        {name}
      </Link>
    </div>
  );
}

function TagsAndAudience({ campaign }: CampaignProps) {
  const { tags = [] } = campaign;
  return (
    <div className="truncate">
      {tags.map((tag) => (
        <span key={tag} className="tag mr-1">
          {tag}
        </span>
      ))}
      {describeAudience(campaign)}
    </div>
  );
}

function Next({ campaign }: CampaignProps) {
  const { first, second, aside } = describeNext(campaign, { nowMs: useCurrentMinute(), formatTime: useFormatTime() });
  return (
    <>
      <div className="truncate">
        {first} {aside !== undefined && <span className="t3">{aside}</span>}
      </div>
      <div className="truncate">{second}</div>
    </>
  );
}

/**
 * Bar with the outcomes of a whole run. Users without an outcome in the last step are pending, including users that are
 * not counted yet.
 */
export function RunBar({ run }: { run: NonNullable<ListedCampaign['run']> }) {
  const audience = countAudience(run);
  const pending = run.lastStep.pending + Math.max(0, audience - run.audience.counted);
  return <OutcomeBar counts={{ ...run.lastStep, pending }} audience={audience} />;
}
