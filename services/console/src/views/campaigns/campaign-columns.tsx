import { Link } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import { useMinute } from '../../parts/browser/now.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { OutcomeBar } from '../../parts/outcomes/outcome-bar.tsx';
import { StateBadge, StateCause } from '../../parts/standing/state-badge.tsx';
import { plainText } from '../../parts/words/plain-text.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { campaignLink, shownState } from '../../parts/campaign/listed-campaign.ts';
import { RowMenu } from './row-menu.tsx';
import { audienceOf, audienceWords, causeOf, listed, nextWords, throughWords } from './row-words.ts';
import type { CampaignsSearch } from './search.ts';
import { titlesOf } from '../../parts/words/action-titles.ts';

/** @param sortOf returns the sorting of a column; undefined means the default order */
export function campaignColumns(sortOf: (by: CampaignsSearch['sort']) => Sort): readonly Column<ListedCampaign>[] {
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
      below: ({ countries }) => listed(countries, 'country', 'countries'),
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
      cell: ({ run }) => throughWords(run).first,
      below: ({ run }) => throughWords(run).second,
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

interface OfCampaign {
  campaign: ListedCampaign;
}

function State({ campaign }: OfCampaign) {
  const cause = causeOf(campaign);
  return (
    <>
      <StateBadge state={shownState(campaign)} />
      {cause && <StateCause tone={cause.tone}>{cause.words}</StateCause>}
    </>
  );
}

/** Name of a campaign. The link covers the whole row and leads to the page that explains the state. */
function Name({ campaign }: OfCampaign) {
  const name = plainText(campaign.name);
  return (
    <div className="font-medium truncate">
      <Link {...campaignLink(campaign)} className="after:absolute after:inset-0" data-row-link title={name}>
        {name}
      </Link>
    </div>
  );
}

function TagsAndAudience({ campaign }: OfCampaign) {
  const { tags = [] } = campaign;
  return (
    <div className="truncate">
      {tags.map((tag) => (
        <span key={tag} className="tag mr-1">
          {tag}
        </span>
      ))}
      {audienceWords(campaign)}
    </div>
  );
}

function Next({ campaign }: OfCampaign) {
  const { first, second, aside } = nextWords(campaign, { nowMs: useMinute(), formatTime: useFormatTime() });
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
 * Outcomes of a whole run. Users without an outcome in the last step are pending, also those that were not counted yet.
 */
export function RunBar({ run }: { run: NonNullable<ListedCampaign['run']> }) {
  const audience = audienceOf(run);
  const pending = run.lastStep.pending + Math.max(0, audience - run.audience.counted);
  return <OutcomeBar counts={{ ...run.lastStep, pending }} audience={audience} />;
}
