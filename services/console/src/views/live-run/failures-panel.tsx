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
  /** True if there is room only for reasons and their users. */
  isBrief?: boolean;
  remedy?: ReactNode;
}

const shownReasons = 8;

/** Reasons why users have failed so far. An error of its request does not affect the rest of the page. */
export function FailuresPanel({ runId, steps, query, isBrief = false, remedy }: FailuresPanelProps) {
  const error = useKeptError(query);
  // Memoized: there are hundreds of reasons with many countries. They change every few seconds, the figures beside them
  // twice a second.
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
