import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getTestFiguresOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, TestFigures } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { TestResult } from '../../parts/campaign/test-result.tsx';
import { useNewestReport } from '../../parts/campaign/use-newest-report.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { TestDialog } from './test-dialog.tsx';

const lookEveryMs = 10_000;

/** Result of the newest test, which sends the campaign to a few users, and a button that sends the next. */
export function TestPanel({ campaign }: { campaign: Campaign }) {
  const { id: campaignId, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const [isOpen, setOpen] = useState(false);
  const { newest, report } = useNewestReport(campaignId, 'test');
  const figures = useQuery({
    ...getTestFiguresOptions({ path: { id: campaignId } }),
    enabled: newest !== undefined,
    refetchInterval: lookEveryMs,
  });
  return (
    <Panel
      title="Test"
      note="to users you name, at most 50"
      padded
      actions={
        archivedAt === null && (
          <Button small refusal={refusal} onClick={() => setOpen(true)}>
            {newest ? 'Send another…' : 'Send a test…'}
          </Button>
        )
      }
    >
      {report ? (
        <TestResult report={report} isOld={report.revision !== campaign.revision} />
      ) : (
        <p className="t2">Not tested yet. A test goes through the real endpoints, and is in no figures.</p>
      )}
      {figures.data && figures.data.runs > 1 && <p className="t3 sm">{figuresInWords(figures.data)}</p>}
      {isOpen && <TestDialog campaign={campaign} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function figuresInWords({ runs, liveRuns, users }: TestFigures): string {
  const live = `${formatCount(liveRuns)} live, sent to ${formatCount(users)} users`;
  return `${formatCount(runs)} tests so far, ${liveRuns === 0 ? 'none live' : live}`;
}
