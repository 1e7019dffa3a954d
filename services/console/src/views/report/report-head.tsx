import { Link } from '@tanstack/react-router';
import type { RunReport } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Menu, MenuItem, menuItem } from '../../parts/overlays/menu.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { plainText } from '../../parts/words/plain-text.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { reportCsv, saveAs } from './report-csv.ts';

interface ReportHeadProps {
  report: RunReport;
  onExplain: () => void;
}

export function ReportHead({ report, onExplain }: ReportHeadProps) {
  const { campaignName, state, stateReason } = report;
  return (
    <div className="head">
      <div className="min-w-0">
        <div className="row flex-wrap">
          <h1>{plainText(campaignName)}</h1>
          <StateBadge state={state} tinted />
          {state === 'completed_with_failures' && <span className="t2">with failures</span>}
        </div>
        <ReportFacts report={report} />
        {stateReason !== null && <p className="t2 sm">{stateReason}</p>}
      </div>
      <div className="row ml-auto">
        <DownloadMenu report={report} />
        <Button icon="users" label="Explain a user (E)" onClick={onExplain} />
        <Button icon="print" label="Print" onClick={() => print()} />
        <RunAgain campaignId={report.campaignId} />
      </div>
    </div>
  );
}

/** The same campaign, to be looked at and started once more. */
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
      {parentRunId !== null && <span className="wide">Tries failed users of another run again</span>}
    </div>
  );
}

/** Files of the API itself: the same columns and names as everywhere. */
function DownloadMenu({ report }: { report: RunReport }) {
  const { runId, steps, failuresKept } = report;
  const hasReceipts = steps.some(({ receipts }) => receipts !== undefined);
  return (
    <Menu
      target={(target) => (
        <Button {...target} icon="download">
          Download
          <Icon name="down" size={12} />
        </Button>
      )}
    >
      <a {...menuItem} href={`v1/runs/${runId}/report`} download={`${runId}-report.json`}>
        Report as JSON
      </a>
      <MenuItem onClick={() => saveAs(`${runId}-report.csv`, reportCsv(report))}>Report as CSV</MenuItem>
      {failuresKept && (
        <>
          <a {...menuItem} href={`v1/runs/${runId}/failures?format=csv`} download>
            Failures as CSV
          </a>
          <a {...menuItem} href={`v1/runs/${runId}/failures?format=csv&for=excel`} download>
            Failures as CSV for Excel
          </a>
          <a {...menuItem} href={`v1/runs/${runId}/failures?format=ndjson`} download>
            Failures as NDJSON
          </a>
        </>
      )}
      {hasReceipts && (
        <a {...menuItem} href={`v1/runs/${runId}/receipts?format=csv`} download>
          Receipts as CSV
        </a>
      )}
    </Menu>
  );
}
