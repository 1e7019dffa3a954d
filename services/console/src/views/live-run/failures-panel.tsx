import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { Problem, RunReport, StepLine } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { DownloadLink } from '../../parts/controls/download-link.tsx';
import { failedUsers, outcomeCounts, reasonRows, usersOf } from '../../parts/failures/failure-reasons.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { ReasonTable } from '../../parts/failures/reason-table.tsx';
import { Failed } from '../../parts/standing/states.tsx';

interface FailuresPanelProps {
  runId: string;
  steps: readonly StepLine[];
  query: UseQueryResult<RunReport, Problem>;
  /** There is room for reasons and how many failed, and for no more. */
  isBrief?: boolean;
  /** What can be done about them. */
  remedy?: ReactNode;
}

const shownReasons = 8;

/** Why users failed so far. It fails alone: the rest of the page goes on. */
export function FailuresPanel({ runId, steps, query, isBrief = false, remedy }: FailuresPanelProps) {
  const error = useKeptError(query);
  // Hundreds of them where there are many countries: they come every few seconds, the figures beside them twice in one.
  const failures = query.data?.failures;
  const rows = useMemo(() => reasonRows(failures ?? []), [failures]);
  const failed = failedUsers(steps, failures ?? []);
  const unread = failed - usersOf(failures ?? [], 'failed');
  return (
    <Panel
      title="Failures by reason"
      note={query.data && `${outcomeCounts(failed, query.data.failures)}, in ${countOf(rows.length, 'group')}`}
      actions={
        <>
          {rows.length > 0 && (
            <Link className="link sm" to="/runs/$runId/failures" params={{ runId }}>
              All failures
            </Link>
          )}
          {rows.length > 0 && !isBrief && (
            <DownloadLink href={`v1/runs/${runId}/failures?format=csv`}>CSV</DownloadLink>
          )}
          {remedy}
        </>
      }
    >
      {error !== null ? (
        <Failed title="The failures could not be read" error={error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <ReasonTable runId={runId} rows={undefined} steps={steps} isBrief={isBrief} />
      ) : rows.length === 0 ? (
        <p className="t3 sm py-3 px-4">
          {failed === 0 ? 'Nobody has failed.' : `${countOf(failed, 'user')} failed; why is being read.`}
        </p>
      ) : (
        <>
          <ReasonTable runId={runId} rows={rows.slice(0, shownReasons)} steps={steps} isBrief={isBrief} />
          {unread > 0 && <footer>The reasons of {countOf(unread, 'more user')} are being read.</footer>}
          {rows.length > shownReasons && (
            <footer>
              {countOf(rows.length - shownReasons, 'more group')} with fewer users, in the list of all failures.
            </footer>
          )}
        </>
      )}
    </Panel>
  );
}
