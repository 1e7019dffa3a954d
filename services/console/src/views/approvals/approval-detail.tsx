import { Link } from '@tanstack/react-router';
import type { Approval } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import {
  approvalLook,
  describeApprovalOutcome,
  usersAtMost,
  formatUsersByCountry,
} from '../../parts/campaign/approval-words.ts';
import { formatTypedBudget } from '../../parts/money/amounts.ts';
import { Definition } from '../../parts/campaign/definition.tsx';
import { DifferencesTable } from '../../parts/campaign/differences-table.tsx';
import { usePlaceNames } from '../../parts/campaign/parameters.tsx';
import { nameWithShare } from '../../parts/campaign/variant-words.ts';
import { TrialResults } from '../../parts/trials/trial-results.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Kpis, type Kpi } from '../../parts/panels/kpis.tsx';
import { StartTime } from '../../parts/when/start-time.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { formatCountKind, formatUserCount, type UserCount } from '../../parts/audience/user-count.ts';
import { useApprovalSize } from './approval-size.ts';
import { Decision } from './decision.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';

export function ApprovalDetail({ approval }: { approval: Approval }) {
  const { campaignId, campaignName, runId, revision, submittedBy, submittedAt, startsAt, hash, covers } = approval;
  const look = approvalLook(approval);
  const size = useApprovalSize(approval);
  const previewRefusal = useRefusal('manager');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_296px] gap-4 items-start max-[1360px]:grid-cols-1">
      <div className="grid gap-3 min-w-0">
        <div>
          <div className="row flex-wrap">
            <h2 className="text-xl leading-7">{campaignName}</h2>
            <span className={`badge ${look.tone === 'idle' ? '' : look.tone}`.trimEnd()}>
              <Icon name={look.icon} />
              {look.words}
            </span>
          </div>
          <div className="meta">
            <span>
              Revision <b>{revision}</b> by <b>{submittedBy ?? 'its run'}</b>
            </span>
            <span>
              Sent <b>{<Time instant={submittedAt} />}</b>
            </span>
            {startsAt !== null && (
              <span>
                Starts{' '}
                <b>
                  <StartTime instant={startsAt} schedule={covers.schedule} />
                </b>
              </span>
            )}
            <Link className="link" to="/campaigns/$campaignId" params={{ campaignId }}>
              The campaign
            </Link>
            {runId !== null && (
              <Link className="link" to="/runs/$runId" params={{ runId }}>
                The run that waits
              </Link>
            )}
          </div>
          {approval.state !== 'waiting' && <p className="t2 sm">{describeApprovalOutcome(approval)}</p>}
        </div>
        <Panel
          title="What you approve"
          note="exactly this"
          actions={
            <span className="t3 sm">
              hash{' '}
              <span className="mono t2" title={hash}>
                {hash.slice(0, 4)}…{hash.slice(-4)}
              </span>
            </span>
          }
          footer={footerOf(approval)}
        >
          <div className="[&_.kpis]:border-0 [&_.kpis]:rounded-none">
            <Kpis kpis={kpisOf(approval, size)} inRows />
          </div>
        </Panel>
        <Changes {...{ approval }} />
        <Definition campaign={{ ...covers, name: campaignName }} revision={revision} previewRefusal={previewRefusal} />
      </div>
      <div className="grid gap-3 min-w-0">
        <Panel title="Dry run and test send" padded>
          <TrialResults missing="c-warn" {...{ campaignId, revision }} />
        </Panel>
        <Decision approval={approval} />
      </div>
    </div>
  );
}

function Changes({ approval: { diff, covers } }: { approval: Approval }) {
  const placeOf = usePlaceNames(covers.chain);
  if (diff === null) {
    return (
      <Panel title="Changed since the last approval" padded>
        <p className="t2">No revision of this campaign has been approved yet: all of it is new.</p>
      </Panel>
    );
  }
  return (
    <Panel title={`Changed since revision ${diff.from}`} note="the last approved one">
      {diff.differences.length === 0 ? (
        <p className="pad t2">No changes: only the approval request is new.</p>
      ) : (
        <DifferencesTable diff={diff} placeOf={placeOf} />
      )}
    </Panel>
  );
}

function costWords({ amount, currency }: NonNullable<Approval['costAtMost']>): string {
  return formatTypedBudget({ amount, currency: currency ?? '' }).trim();
}

function kpisOf(approval: Approval, size: UserCount | null): Kpi[] {
  const { unitsAtMost, costAtMost, covers, variants = [] } = approval;
  const actions = covers.chain.map(({ action }) => titleOf(action));
  return [
    { name: 'Users, at most', value: formatCount(usersAtMost(approval)), note: formatUsersByCountry(approval) },
    ...(size === null
      ? []
      : [
          {
            name: `Users, ${formatCountKind(size)}`,
            value: formatUserCount(size),
            note: size.at !== null && <Time instant={size.at} />,
          },
        ]),
    {
      name: 'Units, at most',
      value: unitsAtMost === null ? 'none' : formatCount(unitsAtMost),
      note: unitsAtMost === null ? 'no step counts units' : 'per run, by its chain and budgets',
    },
    {
      name: 'Cost, at most',
      value: costAtMost === null ? 'unknown' : costWords(costAtMost),
      note: costAtMost === null ? unpricedWords(actions) : 'per run, at the prices at submission',
    },
    { name: 'Steps', value: formatCount(actions.length), note: actions.join(', ') },
    ...(variants.length === 0
      ? []
      : [{ name: 'Variants', value: formatCount(variants.length), note: variants.map(variantWords).join(' · ') }]),
  ];
}

/** Formats a variant with its share and limit: `A, 50 %, at most 750,000`. */
function variantWords({ usersAtMost: users, ...variant }: NonNullable<Approval['variants']>[number]): string {
  return `${nameWithShare(variant)}, at most ${formatCount(users)}`;
}

function unpricedWords(actions: readonly string[]): string {
  const names = [...new Set(actions)];
  return `${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} no price`;
}

function footerOf({ runId, covers }: Approval): string {
  const what =
    runId !== null ? 'This run alone' : covers.schedule.type === 'recurring' ? 'Each run of its schedule' : 'Its run';
  return `${what}, with this chain and these limits. Any change voids the approval. A run that reaches more users in a country waits for another approval.`;
}
