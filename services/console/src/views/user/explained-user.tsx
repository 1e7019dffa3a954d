import type { Run } from '#client/types.gen.ts';
import { CopyableId, CopyButton } from '../../parts/controls/copy-button.tsx';
import { Icon, type IconName } from '../../parts/icon/icon.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { AnotherUser } from './another-user.tsx';
import type { Explanation } from './explanation.ts';
import { NotInRun } from './not-in-run.tsx';
import { CountedPanel } from './counted-panel.tsx';
import { EndpointTeamPanel } from './endpoint-team-panel.tsx';
import { OutcomePanel } from './outcome-panel.tsx';
import { buildTimeline } from './timeline.ts';
import { UserTimeline } from './user-timeline.tsx';
import { buildVerdict, type Verdict } from './verdict.ts';

interface ExplainedUserProps {
  explained: Explanation;
  run: Run;
}

export function ExplainedUser({ explained, run }: ExplainedUserProps) {
  const { userId, audience, variant, batches } = explained;
  const verdict = buildVerdict(explained);
  const { label } = useZone();
  const [batch] = batches;
  const isInRun = explained.steps.length > 0;
  return (
    <>
      <div className="head">
        <div className="min-w-0">
          <div className="row flex-wrap">
            <h1 className="wrap-anywhere">{userId}</h1>
            <CopyButton text={userId} label="Copy the user id" />
            <VerdictBadge verdict={verdict} />
          </div>
          <div className="meta">
            <span className="wrap-anywhere">
              <b>{plainText(run.campaignName)}</b>
            </span>
            <span>
              in the run of{' '}
              <b>
                <Time instant={run.scheduledFor} />
              </b>
            </span>
            {audience.country !== null && (
              <span>
                Country <b>{audience.country}</b>
              </span>
            )}
            {variant !== null && (
              <span>
                Variant <b className="wrap-anywhere">{variant}</b>
              </span>
            )}
            {batch && (
              <span>
                Batch <b>{formatCount(batch.batchNo)}</b>
                {batches.length > 1 && `, then ${batches.length - 1} more`}
              </span>
            )}
            {batches.map(
              ({ batchNo, traceId }) =>
                traceId !== undefined && (
                  <span key={batchNo}>
                    Trace <CopyableId id={traceId} what={`trace id of batch ${formatCount(batchNo)}`} />
                  </span>
                ),
            )}
          </div>
        </div>
        <AnotherUser runId={run.runId} />
      </div>
      <div className="banner info bg-surface">
        <Icon name="info" />
        <div>
          <b>{verdict.answer}</b> {isInRun && <span className="t2">{verdict.evidence}</span>}
          <DeletedReceiptsNote explained={explained} />
        </div>
      </div>
      {isInRun ? (
        <div className="cols grid-cols-[minmax(0,1fr)_320px]">
          <Panel title="What happened" note={label}>
            <UserTimeline timeline={buildTimeline(explained)} />
          </Panel>
          <div className="cols grid-cols-1">
            <OutcomePanel explained={explained} />
            <CountedPanel explained={explained} />
            <EndpointTeamPanel explained={explained} />
          </div>
        </div>
      ) : (
        <NotInRun explained={explained} run={run} />
      )}
    </>
  );
}

function DeletedReceiptsNote({ explained: { steps, receiptsDeletedAt } }: { explained: Explanation }) {
  if (receiptsDeletedAt === null || steps.length === 0 || steps.some(({ receipt }) => receipt !== null)) return null;
  return (
    <p className="t2">
      Receipts were deleted on <Time instant={receiptsDeletedAt} withDay />: it is no longer known whether a message was
      delivered to this user.
    </p>
  );
}

const looks: Record<Verdict['tone'], { icon: IconName; tint: string }> = {
  good: { icon: 'done', tint: 'ok' },
  bad: { icon: 'failed', tint: 'bad' },
  odd: { icon: 'unknown', tint: 'odd' },
  watch: { icon: 'expired', tint: 'warn' },
  plain: { icon: 'pending', tint: '' },
};

function VerdictBadge({ verdict: { tone, state } }: { verdict: Verdict }) {
  const { icon, tint } = looks[tone];
  return (
    <span className={`badge ${tint}`}>
      <Icon name={icon} />
      {state}
    </span>
  );
}
