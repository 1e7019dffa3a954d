import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { countTrialsOptions } from '#client/@tanstack/react-query.gen.ts';
import { startTrial } from '#client/sdk.gen.ts';
import type { Campaign, TrialCounts } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { TrialResults } from '../../parts/trials/trial-results.tsx';
import { useNewestReport } from '../../parts/trials/use-newest-report.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { TestDialog } from './test-dialog.tsx';

const lookEveryMs = 10_000;

/** Results of the newest dry run and test of a campaign, and buttons that start the next ones. */
export function TrialsPanel({ campaign }: { campaign: Campaign }) {
  const { id: campaignId, archivedAt, revision } = campaign;
  const [isTestOpen, setTestOpen] = useState(false);
  const counts = useQuery({ ...countTrialsOptions({ path: { id: campaignId } }), refetchInterval: lookEveryMs });
  const queries = useQueryClient();
  const dryRun = useMutation({
    mutationFn: () => startTrial({ path: { id: campaignId }, body: { kind: 'dry-run' }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const actions = {
    dryRun: <DryRunButton campaignId={campaignId} isStarting={dryRun.isPending} onStart={() => dryRun.mutate()} />,
    test: <TestButton hasTests={(counts.data?.tests ?? 0) > 0} onOpen={() => setTestOpen(true)} />,
  };
  return (
    <Panel title="Trials" note="not included in the figures of the campaign" padded>
      <TrialResults
        missing="t2"
        campaignId={campaignId}
        revision={revision}
        {...(archivedAt === null && { actions })}
      />
      {dryRun.error !== null && (
        <p className="c-bad sm" role="alert">
          {problemOf(dryRun.error).detail}
        </p>
      )}
      {counts.data && counts.data.tests > 1 && <p className="t3 sm">{testsInWords(counts.data)}</p>}
      {isTestOpen && <TestDialog campaign={campaign} onClose={() => setTestOpen(false)} />}
    </Panel>
  );
}

interface DryRunButtonProps {
  campaignId: string;
  isStarting: boolean;
  onStart: () => void;
}

/** Starts a dry run at once, as it makes no calls. */
function DryRunButton({ campaignId, isStarting, onStart }: DryRunButtonProps) {
  const refusal = useRefusal('manager');
  const { newest, report } = useNewestReport(campaignId, 'dry-run');
  const isUnderWay = report !== undefined && !hasEnded(report.state);
  return (
    <Button small refusal={refusal} disabled={isStarting || isUnderWay} onClick={onStart}>
      {isUnderWay ? 'Dry run in progress' : newest ? 'Start another dry run' : 'Start a dry run'}
    </Button>
  );
}

function TestButton({ hasTests, onOpen }: { hasTests: boolean; onOpen: () => void }) {
  const refusal = useRefusal('manager');
  return (
    <Button small refusal={refusal} onClick={onOpen}>
      {hasTests ? 'Send another…' : 'Send a test…'}
    </Button>
  );
}

function testsInWords({ tests, liveTests, users }: TrialCounts): string {
  const live = `${formatCount(liveTests)} live, sent to ${formatCount(users)} users`;
  return `${formatCount(tests)} tests so far, ${liveTests === 0 ? 'none live' : live}`;
}
