import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { getRunReportOptions } from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { ReportSkeleton } from './report-skeleton.tsx';
import { Report } from './report.tsx';

export function ReportView() {
  const { runId } = useParams({ from: '/runs/$runId/report' });
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...getRunReportOptions({ path: { id: runId } }),
    staleTime: ({ state }) => (state.data?.endedAt ? 2_000 : 0),
  });
  // The cache may contain a report that was loaded before the end of the run. Such a report is not shown until a new
  // one is loaded.
  const report = data?.endedAt || isFetchedAfterMount ? data : undefined;
  const formatTime = useFormatTime();
  return (
    <Page
      title={report ? `Report of ${formatTime(report.scheduledFor, { withDay: true })}` : 'Report'}
      crumbs={[
        { label: 'Campaigns', link: { to: '/campaigns' } },
        ...(report
          ? [
              {
                label: report.campaignName,
                link: { to: '/campaigns/$campaignId', params: { campaignId: report.campaignId } },
              } as const,
            ]
          : []),
      ]}
    >
      {report ? (
        <Report key={runId} report={report} />
      ) : error === null ? (
        <ReportSkeleton />
      ) : (
        <section className="panel">
          <h1 className="sr-only">Report</h1>
          <Failed title="The report could not be read" error={error} onRetry={() => void refetch()} />
        </section>
      )}
    </Page>
  );
}
