import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getRunReportOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, RunReport } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';
import { realInWords } from '../../parts/campaign/test-banner.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { TestDialog } from './test-dialog.tsx';

/** A test is over within seconds, mostly. */
const followEveryMs = 1000;
const lookEveryMs = 10_000;

/** Trying it on some users: what came of the last time stands where it is sent. */
export function TestPanel({ campaign }: { campaign: Campaign }) {
  const { id: campaignId, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const [isOpen, setOpen] = useState(false);
  const tests = useQuery({
    ...listRunsOptions({ query: { campaignId, kind: 'test', limit: 1 } }),
    refetchInterval: lookEveryMs,
  });
  const [last] = tests.data?.items ?? [];
  const report = useQuery({
    ...getRunReportOptions({ path: { id: last?.runId ?? '' } }),
    enabled: last !== undefined,
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.state) ? false : followEveryMs),
  });
  return (
    <Panel
      title="Test"
      note="to users you name, at most 50"
      padded
      actions={
        archivedAt === null && (
          <Button small refusal={refusal} onClick={() => setOpen(true)}>
            {last ? 'Send another…' : 'Send a test…'}
          </Button>
        )
      }
    >
      {report.data ? (
        <TestResult report={report.data} isOld={report.data.revision !== campaign.revision} />
      ) : (
        <p className="t2">Not tested yet. A test goes through the real endpoints, and is in no figures.</p>
      )}
      {isOpen && <TestDialog campaign={campaign} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

/** What was real comes first. */
function TestResult({ report, isOld }: { report: RunReport; isOld: boolean }) {
  const { runId, state, startedAt, scheduledFor, steps, audience, failures } = report;
  const through = steps.at(-1)?.succeeded ?? 0;
  return (
    <div className={isOld ? 'grid gap-1.5 t3' : 'grid gap-1.5'}>
      <p className="wrap-anywhere">
        <b>{realInWords(report)}</b>
      </p>
      <div className="row flex-wrap">
        <StateBadge state={state} />
        <span>
          {formatCount(through)} of {formatCount(audience.counted)} through the chain
        </span>
        <span className="t3 sm">
          <Time instant={startedAt ?? scheduledFor} />
          {isOld && ', before your last change'}
        </span>
      </div>
      {failures.map(({ step, country, reason, users, sample }) => (
        <p key={`${step} ${country} ${reason}`} className={isOld ? 'sm wrap-anywhere' : 'sm c-bad wrap-anywhere'}>
          {formatCount(users)} failed in step {step}: {reason} ({sample.join(', ')}
          {users > sample.length && ', …'})
        </p>
      ))}
      <Link className="link" to={hasEnded(state) ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
        {hasEnded(state) ? 'Report' : 'Watch'}
      </Link>
    </div>
  );
}
