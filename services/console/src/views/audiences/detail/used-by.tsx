import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listAudiencesOptions, listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedAudience, ListedCampaign } from '#client/types.gen.ts';
import { campaignLink, displayStateOf } from '../../../parts/campaign/listed-campaign.ts';
import { Icon } from '../../../parts/icon/icon.tsx';
import { Panel } from '../../../parts/panels/panel.tsx';
import { Failed } from '../../../parts/standing/states.tsx';
import { toneColours } from '../../../parts/standing/state-badge.tsx';
import { lookOf } from '../../../parts/standing/state-looks.ts';
import { Time } from '../../../parts/times/time.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import { plainText } from '../../../parts/words/plain-text.ts';
import { formatUses } from '../../../parts/audience/list-texts.ts';

const maxListed = 8;

/** Layout of two panels, the second one narrower, with their footers aligned at the bottom. */
export const sideBySideClasses =
  'grid grid-cols-[1.12fr_1fr] gap-4 *:min-w-0 *:flex *:flex-col [&>.panel>footer]:mt-auto phone:grid-cols-1';

interface UsedByProps {
  reference: AudienceReference;
  uses: Pick<ListedAudience, 'usedBy' | 'usedBySaved'>;
  emptyText: string;
  footer: string;
}

type AudienceReference = { list: string } | { segment: string } | { savedAudience: string };

/** Campaigns and saved audiences that use an audience; campaigns that need attention come first. */
export function UsedBy({ reference, uses, emptyText, footer }: UsedByProps) {
  const { usedBy, usedBySaved } = uses;
  const query = { ...reference, sort: 'state' as const, limit: maxListed };
  const campaigns = useQuery({ ...listCampaignsOptions({ query }), enabled: usedBy > 0 });
  const saved = useQuery({
    ...listAudiencesOptions({
      query: { ...('savedAudience' in reference ? {} : reference), kind: 'saved', limit: maxListed },
    }),
    enabled: usedBySaved > 0,
  });
  const items = campaigns.data?.items ?? [];
  const audiences = saved.data?.items ?? [];
  const isUsed = usedBy + usedBySaved > 0;
  const error = (campaigns.data ? null : campaigns.error) ?? (saved.data ? null : saved.error);
  return (
    <Panel title="Used by" note={isUsed ? formatUses(uses) : undefined} footer={footer}>
      {!isUsed ? (
        <p className="pad t3 sm">{emptyText}</p>
      ) : error !== null ? (
        <Failed title="Its uses could not be read" error={error} />
      ) : (
        <ul className="pad sm grid gap-1.75">
          {items.map((campaign) => (
            <Use key={campaign.id} campaign={campaign} reference={reference} />
          ))}
          {usedBy > items.length && items.length > 0 && (
            <li>
              <Link className="link" to="/campaigns" search={reference}>
                All campaigns
              </Link>
            </li>
          )}
          {audiences.map((audience) => (
            <SavedUse key={audience.id} audience={audience} reference={reference} />
          ))}
          {usedBySaved > audiences.length && audiences.length > 0 && (
            <li className="t3">and {countOf(usedBySaved - audiences.length, 'other saved audience')}</li>
          )}
        </ul>
      )}
    </Panel>
  );
}

function Use({ campaign, reference }: { campaign: ListedCampaign; reference: AudienceReference }) {
  const { icon, word, tone } = lookOf(displayStateOf(campaign));
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
          , {describeCampaignUse(campaign, reference)}
        </span>
      </span>
    </li>
  );
}

function SavedUse({
  audience: { id, name, owner, audience },
  reference,
}: {
  audience: ListedAudience;
  reference: AudienceReference;
}) {
  return (
    <li className="flex items-start gap-2">
      <span className="t2 flex pt-px">
        <Icon name="star" size={14} />
      </span>
      <span className="min-w-0">
        <Link to="/audiences" search={{ id }} className="link wrap-anywhere">
          {plainText(name)}
        </Link>
        <br />
        <span className="t3">
          saved audience{owner !== null && ` of ${plainText(owner)}`}, {describeRole(audience ?? {}, reference)}
        </span>
      </span>
    </li>
  );
}

function describeCampaignUse({ audience, savedAudience }: ListedCampaign, reference: AudienceReference): string {
  if ('savedAudience' in reference) return savedAudience ? `uses revision ${savedAudience.revision}` : 'uses it';
  return describeRole(audience, reference);
}

function describeRole(
  { exclude = [] }: Pick<ListedCampaign['audience'], 'exclude'>,
  reference: AudienceReference,
): string {
  const isLeftOut = exclude.some(
    (entry) =>
      ('list' in reference && 'list' in entry && entry.list === reference.list) ||
      ('segment' in reference && 'segment' in entry && entry.segment === reference.segment),
  );
  return isLeftOut ? 'excludes it' : 'includes it';
}
