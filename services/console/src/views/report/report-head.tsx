import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunReport } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { effectiveState } from '../../parts/standing/state-looks.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { DownloadMenu } from './download-menu.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { withTitles } from '../../parts/words/action-titles.ts';

interface ReportHeadProps {
  report: RunReport;
  onExplain: () => void;
}

export function ReportHead({ report, onExplain }: ReportHeadProps) {
  const { campaignName, stateReason } = report;
  const state = effectiveState(report);
  const [isSharing, setSharing] = useState(false);
  return (
    <div className="head">
      <div className="min-w-0">
        <div className="row flex-wrap">
          <h1>{plainText(campaignName)}</h1>
          <StateBadge state={state} tinted />
        </div>
        <ReportFacts report={report} />
        {state !== report.state && <p className="t2 sm">The run was cancelled after every user had ended.</p>}
        {stateReason !== null && <p className="t2 sm">{withTitles(stateReason)}</p>}
      </div>
      <div className="row ml-auto phone:flex-wrap">
        <Button icon="key" onClick={() => setSharing(true)}>
          Share…
        </Button>
        <DownloadMenu report={report} />
        <Button icon="users" label="Explain a user (E)" onClick={onExplain} />
        <Button icon="print" label="Print" onClick={() => print()} />
        <RunAgain campaignId={report.campaignId} />
      </div>
      {isSharing && <ShareDialog report={report} onClose={() => setSharing(false)} />}
    </div>
  );
}

function RunAgain({ campaignId }: Pick<RunReport, 'campaignId'>) {
  const refusal = useRefusal('manager');
  if (refusal !== undefined) {
    return (
      <Button icon="copy" refusal={refusal}>
        Run again…
      </Button>
    );
  }
  return (
    <Link className="btn" to="/campaigns/new" search={{ copy: campaignId }}>
      <Icon name="copy" />
      Run again…
    </Link>
  );
}

function ReportFacts({ report }: { report: RunReport }) {
  const { runId, scheduledFor, startedAt, endedAt, revision, parentRunId } = report;
  return (
    <div className="meta">
      <CopyableId id={runId} what="run id" />
      <span>
        <b>
          <Time instant={startedAt ?? scheduledFor} withSeconds withDay />
          {endedAt !== null && (
            <>
              {' '}
              to <Time instant={endedAt} withSeconds withDay />
            </>
          )}
        </b>
        {startedAt !== null && endedAt !== null && (
          <>, took {formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}</>
        )}
      </span>
      <span className="wide">
        Revision <b>{revision}</b>
      </span>
      {parentRunId !== null && <span className="wide">Retries failed users of another run</span>}
    </div>
  );
}
