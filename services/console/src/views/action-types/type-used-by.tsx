import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countCampaignsOptions, listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import { campaignLink, displayStateOf } from '../../parts/campaign/listed-campaign.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { toneColours } from '../../parts/standing/state-badge.tsx';
import { lookOf } from '../../parts/standing/state-looks.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';

const maxListed = 6;

/** Campaigns with the type in their chain, those that need attention first. */
export function TypeUsedBy({ name }: { name: string }) {
  const counts = useQuery(countCampaignsOptions({ query: { action: name } }));
  const campaigns = useQuery(listCampaignsOptions({ query: { action: name, sort: 'state', limit: maxListed } }));
  const items = campaigns.data?.items;
  const all = counts.data?.all ?? 0;
  return (
    <Panel
      title="Used by"
      note={
        counts.data &&
        (all === 0
          ? 'no campaign'
          : `${countOf(all, 'campaign')}: ${formatCount(counts.data.running)} running, ${formatCount(counts.data.scheduled)} scheduled, ${formatCount(counts.data.draft)} in draft`)
      }
    >
      {campaigns.error !== null && items === undefined ? (
        <Failed title="The campaigns could not be read" error={campaigns.error} />
      ) : items === undefined ? (
        <div className="pad">
          <SkeletonBar width={220} />
        </div>
      ) : items.length === 0 ? (
        <p className="pad t3 sm">No campaign uses it. You can delete it.</p>
      ) : (
        <ul className="pad grid gap-1.75">
          {items.map((campaign) => {
            const { icon, word, tone } = lookOf(displayStateOf(campaign));
            return (
              <li key={campaign.id} className="flex items-start gap-2">
                <span className={`${toneColours[tone]} flex pt-0.5`}>
                  <Icon name={icon} size={14} />
                </span>
                <span className="min-w-0">
                  <Link {...campaignLink(campaign)} className="link wrap-anywhere">
                    {plainText(campaign.name)}
                  </Link>{' '}
                  <span className="t3">{word.toLowerCase()}</span>
                </span>
              </li>
            );
          })}
          {all > items.length && (
            <li>
              <Link className="link" to="/campaigns" search={{ action: name }}>
                All {formatCount(all)} campaigns
              </Link>
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}
