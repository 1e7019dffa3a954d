import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { Problem, RunReport, StepLine } from '#client/types.gen.ts';
import { useLastError } from '../../../api/use-last-error.ts';
import { DownloadLink } from '../../../parts/controls/download-link.tsx';
import { failedUsers, formatOutcomeCounts, reasonRows, usersOf } from '../../../parts/failures/failure-reasons.ts';
import { countOf } from '../../../parts/words/numbers.ts';
import { Panel } from '../../../parts/panels/panel.tsx';
import { ReasonTable } from '../../../parts/failures/reason-table.tsx';
import { Failed } from '../../../parts/standing/states.tsx';

interface FailuresPanelProps {
  runId: string;
  steps: readonly StepLine[];
  query: UseQueryResult<RunReport, Problem>;
  /** True if there is room only for reasons and their users. */
  isBrief?: boolean;
  remedy?: ReactNode;
}

const maxReasons = 8;

/** Reasons why users have failed so far. If the request for the reasons fails, the rest of the page is not affected. */
export function FailuresPanel({ runId, steps, query, isBrief = false, remedy }: FailuresPanelProps) {
  const error = useLastError(query);
  // Memoized, because many countries have hundreds of reasons. The reasons change every few seconds, but the panel
  // renders twice a second.
  const failures = query.data?.failures;
  const rows = useMemo(() => reasonRows(failures ?? []), [failures]);
  const failed = failedUsers(steps, failures ?? []);
  const unloaded = failed - usersOf(failures ?? [], 'failed');
  return (
    <Panel
      title="Failures by reason"
      note={query.data && `${formatOutcomeCounts(failed, query.data.failures)}, in ${countOf(rows.length, 'group')}`}
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
          {failed === 0 ? 'No user has failed.' : `${countOf(failed, 'user')} failed; their reasons are being loaded.`}
        </p>
      ) : (
        <>
          <ReasonTable runId={runId} rows={rows.slice(0, maxReasons)} steps={steps} isBrief={isBrief} />
          {unloaded > 0 && <footer>The reasons of {countOf(unloaded, 'more user')} are being loaded.</footer>}
          {rows.length > maxReasons && (
            <footer>{countOf(rows.length - maxReasons, 'more group')} with fewer users: see all failures.</footer>
          )}
        </>
      )}
    </Panel>
  );
}
