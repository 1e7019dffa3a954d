import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getRunReportOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import { dryRunCampaign } from '#client/sdk.gen.ts';
import type { Campaign, RunReport } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { takesText } from '../../parts/campaign/arithmetic.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';

const followEveryMs = 1000;
const lookEveryMs = 10_000;

/** The whole audience without a call: what came of the last time stands where it is begun. */
export function DryRunPanel({ campaign }: { campaign: Campaign }) {
  const { id: campaignId, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const queries = useQueryClient();
  const dryRuns = useQuery({
    ...listRunsOptions({ query: { campaignId, kind: 'dry-run', limit: 1 } }),
    refetchInterval: lookEveryMs,
  });
  const [last] = dryRuns.data?.items ?? [];
  const report = useQuery({
    ...getRunReportOptions({ path: { id: last?.runId ?? '' } }),
    enabled: last !== undefined,
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.state) ? false : followEveryMs),
  });
  const begin = useMutation({
    mutationFn: () => dryRunCampaign({ path: { id: campaignId }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isUnderWay = report.data !== undefined && !hasEnded(report.data.state);
  return (
    <Panel
      title="Dry run"
      note="everybody, and nobody is called"
      padded
      actions={
        archivedAt === null && (
          <Button small refusal={refusal} disabled={begin.isPending || isUnderWay} onClick={() => begin.mutate()}>
            {last ? 'Run it dry again' : 'Run it dry'}
          </Button>
        )
      }
    >
      {begin.error !== null && (
        <p className="c-bad sm" role="alert">
          {problemOf(begin.error).detail}
        </p>
      )}
      {report.data ? (
        <DryRunResult report={report.data} isOld={report.data.revision !== campaign.revision} />
      ) : (
        <p className="t2">Says who would get what, and how long it would take. No endpoint hears of it.</p>
      )}
    </Panel>
  );
}

function DryRunResult({ report, isOld }: { report: RunReport; isOld: boolean }) {
  const { runId, state, stateReason, startedAt, scheduledFor, steps, audience, forecast } = report;
  const through = steps.at(-1)?.succeeded ?? 0;
  return (
    <div className={isOld ? 'grid gap-1.5 t3' : 'grid gap-1.5'}>
      <p className="wrap-anywhere">
        <b>{formatCount(through)}</b> of {countOf(audience.counted, 'user')} would come through the chain
        {audience.excluded > 0 && <>; {formatCount(audience.excluded)} are excluded</>}.
      </p>
      {forecast && <p className="sm">{takesText(forecast.takesSeconds)}</p>}
      <div className="row flex-wrap">
        <StateBadge state={state} />
        <span className="t3 sm">
          <Time instant={startedAt ?? scheduledFor} />
          {isOld && ', before your last change'}
        </span>
      </div>
      {stateReason !== null && <p className="sm wrap-anywhere">{stateReason}</p>}
      <Link className="link" to={hasEnded(state) ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
        {hasEnded(state) ? 'Report' : 'Watch'}
      </Link>
    </div>
  );
}
