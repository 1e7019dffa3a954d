import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getAudienceOptions, getRunOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { RejectedLinesButton } from '../audience/rejected-lines-button.tsx';
import { shortId } from '../controls/copy-button.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { Time } from '../times/time.tsx';
import { Panel } from '../panels/panel.tsx';
import { formatDuration } from '../times/times.ts';
import { useZone } from '../times/zone.ts';
import { formatTypedBudget } from '../money/amounts.ts';
import { DefinedChain } from './defined-chain.tsx';
import { formOf, type DefinedCampaign } from './form-definition.ts';
import { formatOutcomes } from '../audience/sources.ts';
import { describeWhen } from '../when/when-words.ts';

interface DefinitionProps {
  campaign: DefinedCampaign;
  revision: number;
  /** Reason why the user may not preview messages. */
  previewRefusal: string | undefined;
}

export function Definition({ campaign, revision, previewRefusal }: DefinitionProps) {
  const { zone } = useZone();
  const { audience, chain, countries, budgets = [], deadlineSeconds, priority } = campaign;
  const { paceUsersPerSecond: pace, pauseAtFailedPercent: pauseAt } = campaign;
  const { holdOutPercent } = audience;
  return (
    <Panel title="Definition" note={`revision ${revision}`} padded>
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Countries</dt>
        <dd className="row flex-wrap gap-1">
          {countries.map((country) => (
            <span key={country} className="tag">
              {country}
            </span>
          ))}
        </dd>
        <dt>Include</dt>
        <dd>
          <Entries entries={audience.include} />
        </dd>
        {(audience.exclude ?? []).length > 0 && (
          <>
            <dt>Exclude</dt>
            <dd>
              <Entries entries={audience.exclude ?? []} />
            </dd>
          </>
        )}
        {holdOutPercent !== undefined && holdOutPercent > 0 && (
          <>
            <dt>Hold out</dt>
            <dd>
              {holdOutPercent} %{audience.holdOutSeed !== undefined && `, seed “${audience.holdOutSeed}”`}
            </dd>
          </>
        )}
        <dt>Chain</dt>
        <dd>
          <DefinedChain {...{ chain, countries, previewRefusal }} />
          {campaign.splitSeed !== undefined && <p className="t2">split by the seed “{campaign.splitSeed}”</p>}
        </dd>
        {budgets.length > 0 && (
          <>
            <dt>Budgets</dt>
            <dd>{budgets.map((budget) => `${budget.country} ${formatTypedBudget(budget)}`).join(' · ')}</dd>
          </>
        )}
        <dt>When</dt>
        <dd>{describeWhen(formOf(campaign, [], zone), zone)}</dd>
        <dt>Limits</dt>
        <dd>
          {[
            pace === undefined ? 'no pace' : `at most ${formatCount(pace)} users/s`,
            `deadline ${formatDuration(deadlineSeconds * 1000)} after start`,
            pauseAt === undefined ? 'does not pause automatically' : `pauses automatically at ${pauseAt} % failed`,
            `priority ${priority}`,
            ...canaryWords(campaign.canary),
          ].join(' · ')}
        </dd>
      </dl>
    </Panel>
  );
}

function canaryWords(canary: DefinedCampaign['canary']): string[] {
  if (canary === undefined) return [];
  const { users, percent, maxFailedPercent, then: decision } = canary;
  const first = users === undefined ? `${percent ?? 0} % of each country` : countOf(users, 'user');
  if (decision === 'choose-variant') return [`canary of ${first}, then a choice of the variant of all others`];
  const then = maxFailedPercent === undefined ? 'then a pause' : `then a pause above ${maxFailedPercent} % failed`;
  return [`canary of ${first}, ${then}`];
}

function Entries({ entries }: { entries: Campaign['audience']['include'] }) {
  return (
    <ul>
      {entries.map((entry) => (
        <li key={JSON.stringify(entry)}>
          {'segment' in entry ? (
            <>
              <b className="font-medium">{entry.segment}</b> <span className="t3">segment</span>
            </>
          ) : 'list' in entry ? (
            <>
              <ListOf id={entry.list} />
            </>
          ) : (
            <>
              <RunName id={entry.runId} />{' '}
              <span className="t3">run, {formatOutcomes(entry.outcomes ?? [], entry.step ?? null)}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Name and rejected lines of a list; its short id until the name is loaded. */
function ListOf({ id }: { id: string }) {
  const { data: found } = useQuery({ ...getAudienceOptions({ path: { id } }), staleTime: namesChangeRarely });
  const data = found?.kind === 'list' ? found : undefined;
  return (
    <>
      {data ? <b className="font-medium">{data.name}</b> : <span className="mono">{shortId(id)}</span>}{' '}
      <span className="t3">
        list
        {data && data.rejected > 0 && (
          <>
            {', '}
            <RejectedLinesButton list={data} />
          </>
        )}
      </span>
    </>
  );
}

function RunName({ id }: { id: string }) {
  const { data } = useQuery({ ...getRunOptions({ path: { id } }), staleTime: namesChangeRarely });
  if (!data) return <span className="mono">{shortId(id)}</span>;
  return (
    <Link className="link" to="/runs/$runId" params={{ runId: id }}>
      {data.campaignName}, <Time instant={data.scheduledFor} />
    </Link>
  );
}

const namesChangeRarely = 60_000;
