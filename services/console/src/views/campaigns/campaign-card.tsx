import { plainText } from '../../parts/words/plain-text.ts';
import { Link } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import { useCurrentMinute } from '../../parts/browser/now.ts';
import { StateBadge, StateCause } from '../../parts/standing/state-badge.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { campaignLink, displayStateOf } from '../../parts/campaign/listed-campaign.ts';
import { RunBar } from './campaign-columns.tsx';
import { findCause, describeNext, describeSuccess } from './row-words.ts';

/** A campaign on narrow screens: name, state, bar, and the two main numbers. */
export function CampaignCard({ campaign }: { campaign: ListedCampaign }) {
  const cause = findCause(campaign);
  const { name, run } = campaign;
  const through = describeSuccess(run);
  const next = describeNext(campaign, { nowMs: useCurrentMinute(), formatTime: useFormatTime() });
  return (
    <Link
      {...campaignLink(campaign)}
      className="grid gap-1.75 p-3 border-t border-line first:border-0 [&_.cause]:pl-0 [&>.row:last-of-type]:items-start"
      data-row
      data-row-link
    >
      <div className="row">
        <span className="font-semibold truncate">{plainText(name)}</span>
        <span className="ml-auto sm">
          <StateBadge state={displayStateOf(campaign)} />
        </span>
      </div>
      {run && <RunBar run={run} />}
      <div className="row flex-wrap gap-y-0 sm">
        <span>
          {through.first} <span className="t3">{through.second}</span>
        </span>
        <span className="ml-auto text-right whitespace-nowrap">
          {next.first} {next.aside !== undefined && <span className="t3">{next.aside}</span>}
        </span>
      </div>
      {cause && <StateCause tone={cause.tone}>{cause.words}</StateCause>}
    </Link>
  );
}
