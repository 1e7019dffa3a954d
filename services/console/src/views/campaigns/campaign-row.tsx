import { Link } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import { useListedProgress } from '../../live/live-runs.ts';
import { useMinute } from '../../parts/browser/now.ts';
import { OutcomeBar } from '../../parts/outcomes/outcome-bar.tsx';
import { StateBadge, StateCause } from '../../parts/standing/state-badge.tsx';
import { plainText } from '../../parts/words/plain-text.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { campaignLink, shownState } from '../../parts/campaign/listed-campaign.ts';
import { RowMenu } from './row-menu.tsx';
import { audienceOf, audienceWords, causeOf, listed, nextWords, throughWords } from './row-words.ts';
import { withProgress } from './row-progress.ts';
import { titlesOf } from '../../parts/words/action-titles.ts';

/** The whole row leads to where its state is explained. */
export function CampaignRow({ campaign: asListed }: { campaign: ListedCampaign }) {
  const campaign = withProgress(asListed, useListedProgress(asListed.run?.runId ?? ''));
  const cause = causeOf(campaign);
  const { name, chain, countries, run, tags = [] } = campaign;
  const through = throughWords(run);
  const next = nextWords(campaign, { nowMs: useMinute(), formatTime: useFormatTime() });
  return (
    <tr className="tall" data-row>
      <td>
        <StateBadge state={shownState(campaign)} />
        {cause && <StateCause tone={cause.tone}>{cause.words}</StateCause>}
      </td>
      <td className="two">
        <div className="font-medium truncate">
          <Link
            {...campaignLink(campaign)}
            className="after:absolute after:inset-0"
            data-row-link
            title={plainText(name)}
          >
            {plainText(name)}
          </Link>
        </div>
        <div className="truncate">
          {tags.map((tag) => (
            <span key={tag} className="tag mr-1">
              {tag}
            </span>
          ))}
          {audienceWords(campaign)}
        </div>
      </td>
      <td className="two">
        <div className="truncate">{titlesOf(chain, ' → ')}</div>
        <div>{listed(countries, 'country', 'countries')}</div>
      </td>
      <td>{run ? <RunBar run={run} /> : <span className="t3 sm">No run yet</span>}</td>
      <td className="text-right two">
        <div>{through.first}</div>
        <div>{through.second}</div>
      </td>
      <td className="two">
        <div className="truncate">
          {next.first} {next.aside !== undefined && <span className="t3">{next.aside}</span>}
        </div>
        <div className="truncate">{next.second}</div>
      </td>
      <td className="text-right">
        <RowMenu campaign={campaign} />
      </td>
    </tr>
  );
}

/** Of the whole run: whoever has no outcome in the last step yet, or was not fed yet, is pending. */
export function RunBar({ run }: { run: NonNullable<ListedCampaign['run']> }) {
  const audience = audienceOf(run);
  const pending = run.lastStep.pending + Math.max(0, audience - run.audience.counted);
  return <OutcomeBar counts={{ ...run.lastStep, pending }} audience={audience} />;
}
