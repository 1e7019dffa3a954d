import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { getRunReportOptions, listRunFailuresOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { DownloadLink } from '../../parts/controls/download-link.tsx';
import { ExplainDialog } from '../../parts/overlays/explain-dialog.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { NoMatch } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { FailureFilters } from './failure-filters.tsx';
import { FailureRows } from './failure-rows.tsx';
import { readFilter, describeFilter, findNarrowest, countUsers } from './failure-filter.ts';
import type { FailuresSearch } from './search.ts';
import { useState } from 'react';
import { useKeys } from '../../parts/keys/use-keys.ts';

const route = '/runs/$runId/failures';
const perPage = 50;

/** View of failed users, page by page. The server filters and pages. */
export function FailuresView() {
  const { runId } = useParams({ from: route });
  const search = useSearch({ from: route });
  const [isExplaining, setExplaining] = useState(false);
  const formatTime = useFormatTime();
  useKeys([{ keys: 'E', does: 'Explain a user', group: 'This page', run: () => setExplaining(true) }]);
  const { data: report } = useQuery(getRunReportOptions({ path: { id: runId } }));
  return (
    <Page
      title="Failures"
      crumbs={[
        { label: 'Campaigns', link: { to: '/campaigns' } },
        ...(report
          ? ([
              {
                label: report.campaignName,
                link: { to: '/campaigns/$campaignId', params: { campaignId: report.campaignId } },
              },
              {
                label: `Report of ${formatTime(report.scheduledFor)}`,
                link: { to: '/runs/$runId/report', params: { runId } },
              },
            ] as const)
          : []),
      ]}
    >
      <FailureList runId={runId} search={search} report={report} />
      {isExplaining && <ExplainDialog runId={runId} onClose={() => setExplaining(false)} />}
    </Page>
  );
}

interface FailureListProps {
  runId: string;
  search: FailuresSearch;
  report: RunReport | undefined;
}

function FailureList({ runId, search, report }: FailureListProps) {
  const navigate = useNavigate({ from: route });
  const filter = readFilter(search);
  const page = useQuery({
    ...listRunFailuresOptions({
      path: { id: runId },
      query: { ...filter, limit: perPage, ...(search.cursor !== undefined && { cursor: search.cursor }) },
    }),
    // The page stays until the next one is loaded, so that the table does not move.
    placeholderData: keepPreviousData,
  });
  const go = (next: FailuresSearch) => void navigate({ search: next });
  const all = report && countUsers(report.failures, filter);
  const formatTime = useFormatTime();
  const items = page.data?.items ?? [];
  const tooNarrow = findNarrowest(filter);
  const href = `v1/runs/${runId}/failures?${new URLSearchParams({ ...stringsOf(filter), format: 'csv' }).toString()}`;
  return (
    <>
      <div>
        <h1>Failed users</h1>
        {report && (
          <p className="t2 sm">
            of {report.campaignName}, {countOf(steps(report), 'step')},{' '}
            {countOf(report.countries.length, 'country', 'countries')}
          </p>
        )}
      </div>
      <FailureFilters report={report} filter={filter} onFilter={go} />
      <Panel
        title="Users"
        note={all !== undefined && countOf(all, 'user')}
        actions={items.length > 0 && <DownloadLink href={href}>CSV of these</DownloadLink>}
      >
        <ListView
          what="The failures"
          query={page}
          items={page.data?.items}
          empty={
            tooNarrow === null ? (
              <p className="t3 sm py-3 px-4">
                {report?.failuresKept === false
                  ? 'Failed users of this run are no longer kept; the report has the figures.'
                  : 'No user has failed in this run.'}
              </p>
            ) : (
              <NoMatch
                title="No failure matches"
                drop={{ name: tooNarrow.words, onDrop: () => go(tooNarrow.without) }}
                onClear={() => go({})}
              >
                {describeFilter(filter, formatTime)}
              </NoMatch>
            )
          }
        >
          <FailureRows
            runId={runId}
            items={page.data?.items}
            steps={report?.steps ?? []}
            isOld={page.isPlaceholderData}
            onBatch={(batch) => go({ ...filter, batch })}
          />
        </ListView>
        {items.length > 0 && (
          <Paging
            cursor={search.cursor}
            next={page.data?.next}
            onGo={(cursor) => go({ ...filter, ...(cursor !== undefined && { cursor }) })}
            words={{ before: 'Back', behind: 'Next' }}
          >
            {describeListed(items.length, all, page.data?.next)}, by country and batch
          </Paging>
        )}
      </Panel>
    </>
  );
}

/** Describes how many users are shown. For some filters, the total is known only on the last page. */
function describeListed(listed: number, all: number | undefined, next: string | null | undefined): string {
  if (all !== undefined) return `${formatCount(listed)} of ${countOf(all, 'user')}`;
  return next === null
    ? `The last ${countOf(listed, 'user')} that match`
    : `${countOf(listed, 'user')} of those that match`;
}

function steps({ steps: { length } }: RunReport): number {
  return length;
}

function stringsOf(filter: object): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));
}
