import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunReport } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { DownloadLink } from '../../parts/controls/download-link.tsx';
import { formatOutcomeCounts, reasonRows, usersOf, type ReasonRow } from '../../parts/failures/failure-reasons.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { ReasonTable } from '../../parts/failures/reason-table.tsx';
import { SettleUnknown } from '../../parts/settle/settle-unknown.tsx';
import { unknownLines, unknownUsers } from '../../parts/settle/unknown-lines.ts';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { RetryDialog } from './retry-dialog.tsx';

export function ReasonsPanel({ report }: { report: RunReport }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const refusal = useRefusal('manager');
  const [isRetrying, setRetrying] = useState(false);
  const rows = reasonRows(report.failures);
  const chosen = rows.filter(({ key }) => selected.has(key));
  const users = chosen.reduce((sum, row) => sum + row.users, 0);
  const canRetry = hasEnded(report.state) && report.failuresKept;
  const maySettle = canRetry && refusal === undefined;
  const toggle = ({ key }: ReasonRow) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    setSelected(next);
  };
  return (
    <Panel
      title="Failures by reason"
      note={formatOutcomeCounts(usersOf(report.failures, 'failed'), report.failures)}
      actions={
        <>
          {chosen.length > 0 && <span className="t2 sm wide">{countOf(chosen.length, 'reason')} selected</span>}
          {rows.length > 0 && (
            <Link className="link sm" to="/runs/$runId/failures" params={{ runId: report.runId }}>
              All failures
            </Link>
          )}
          {rows.length > 0 && report.failuresKept && (
            <DownloadLink href={`v1/runs/${report.runId}/failures?format=csv`}>CSV</DownloadLink>
          )}
          {maySettle && <SettleUnknown run={report} />}
          {rows.length > 0 && canRetry && (
            <Button
              small
              kind="ink"
              icon="retry"
              refusal={refusal}
              disabled={chosen.length === 0}
              onClick={() => setRetrying(true)}
            >
              {chosen.length === 0 ? 'Retry…' : `Retry these ${formatCount(users)}…`}
            </Button>
          )}
        </>
      }
      footer={describeRetryLimits(report)}
    >
      {rows.length === 0 ? (
        <p className="t3 sm py-3 px-4">No user has failed.</p>
      ) : (
        <ReasonTable
          runId={report.runId}
          rows={rows}
          steps={report.steps}
          {...(canRetry && { selection: { keys: selected, onToggle: toggle } })}
        />
      )}
      {isRetrying && <RetryDialog report={report} rows={rows} selected={chosen} onClose={() => setRetrying(false)} />}
    </Panel>
  );
}

/** Returns the reason why users cannot be retried; undefined if they can. */
function describeRetryLimits(report: RunReport): string | undefined {
  if (!report.failuresKept) return 'The failed users are no longer kept; the figures remain.';
  const unknown = unknownUsers(unknownLines(report));
  if (unknown === 0) return undefined;
  const who = countOf(unknown, 'user is unknown', 'users are unknown');
  return `${who}: the endpoint may or may not have applied the call. Unknown users are not retried until a person settles them.`;
}
