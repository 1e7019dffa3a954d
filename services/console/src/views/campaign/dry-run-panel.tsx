import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dryRunCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { DryRunResult } from '../../parts/campaign/dry-run-result.tsx';
import { useNewestReport } from '../../parts/campaign/use-newest-report.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';

/**
 * Result of the newest dry run, which processes the whole audience without a call, and a button that starts the next.
 */
export function DryRunPanel({ campaign }: { campaign: Campaign }) {
  const { id: campaignId, archivedAt, revision } = campaign;
  const refusal = useRefusal('manager');
  const queries = useQueryClient();
  const { newest, report } = useNewestReport(campaignId, 'dry-run');
  const begin = useMutation({
    mutationFn: () => dryRunCampaign({ path: { id: campaignId }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isUnderWay = report !== undefined && !hasEnded(report.state);
  return (
    <Panel
      title="Dry run"
      note="everybody, and nobody is called"
      padded
      actions={
        archivedAt === null && (
          <Button small refusal={refusal} disabled={begin.isPending || isUnderWay} onClick={() => begin.mutate()}>
            {isUnderWay ? 'Dry run in progress' : newest ? 'Start another dry run' : 'Start a dry run'}
          </Button>
        )
      }
    >
      {begin.error !== null && (
        <p className="c-bad sm" role="alert">
          {problemOf(begin.error).detail}
        </p>
      )}
      {report ? (
        <DryRunResult report={report} isOld={report.revision !== revision} />
      ) : (
        <p className="t2">Shows who would get what, and how long it would take. No endpoint is called.</p>
      )}
    </Panel>
  );
}
