import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedCampaign } from '#client/types.gen.ts';
import { campaignLink, shownState } from '../../parts/campaign/listed-campaign.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { toneColours } from '../../parts/standing/state-badge.tsx';
import { lookOf } from '../../parts/standing/state-looks.ts';
import { Time } from '../../parts/times/time.tsx';
import { plainText } from '../../parts/words/plain-text.ts';
import { usedByWords } from './audience-words.ts';

const shownAtOnce = 8;

interface UsedByProps {
  of: Used;
  usedBy: number;
  /** Where there is none. */
  none: string;
  /** What their use means for it. */
  footer: string;
}

/** A list or a segment that is taken in or left out, or a combination that was taken. */
type Used = { list: string } | { segment: string } | { savedAudience: string };

/** Campaigns that it is used by, what needs somebody first. */
export function UsedBy({ of, usedBy, none, footer }: UsedByProps) {
  const query = { ...of, sort: 'state' as const, limit: shownAtOnce };
  const campaigns = useQuery({ ...listCampaignsOptions({ query }), enabled: usedBy > 0 });
  const items = campaigns.data?.items ?? [];
  return (
    <Panel title="Used by" note={usedBy > 0 ? usedByWords({ usedBy }) : undefined} footer={footer}>
      {usedBy === 0 ? (
        <p className="pad t3 sm">{none}</p>
      ) : campaigns.error !== null && !campaigns.data ? (
        <Failed title="The campaigns could not be read" error={campaigns.error} />
      ) : (
        <ul className="pad sm grid gap-1.75">
          {items.map((campaign) => (
            <Use key={campaign.id} campaign={campaign} of={of} />
          ))}
          {usedBy > items.length && items.length > 0 && (
            <li>
              <Link className="link" to="/campaigns" search={of}>
                All of them
              </Link>
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}

function Use({ campaign, of }: { campaign: ListedCampaign; of: Used }) {
  const { icon, word, tone } = lookOf(shownState(campaign));
  const next = campaign.standing === 'scheduled' ? (campaign.nextRunAt ?? campaign.startsAt) : null;
  return (
    <li className="flex items-start gap-2">
      <span className={`${toneColours[tone]} flex pt-px`}>
        <Icon name={icon} size={14} />
      </span>
      <span className="min-w-0">
        <Link {...campaignLink(campaign)} className="link wrap-anywhere">
          {plainText(campaign.name)}
        </Link>
        <br />
        <span className="t3">
          {word.toLowerCase()}
          {next !== null && (
            <>
              {' '}
              for <Time instant={next} />
            </>
          )}
          , {howUsed(campaign, of)}
        </span>
      </span>
    </li>
  );
}

function howUsed({ audience, savedAudience }: ListedCampaign, of: Used): string {
  if ('savedAudience' in of) return savedAudience ? `took revision ${savedAudience.revision}` : 'took it';
  const isLeftOut = (audience.exclude ?? []).some((entry) =>
    'list' in of ? 'list' in entry && entry.list === of.list : 'segment' in entry && entry.segment === of.segment,
  );
  return isLeftOut ? 'leaves it out' : 'takes it in';
}
