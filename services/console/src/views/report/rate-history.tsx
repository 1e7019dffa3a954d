import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getRunRatesOptions, listRunEventsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { rateMarks } from '../../parts/run-events/run-events.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { RateChart } from '../../parts/charts/rate-chart.tsx';
import { createRateSeries } from '../../parts/charts/rate-series.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';

/** Rate of a run from start to end, with its events. Renders nothing if no rate was recorded. */
export function RateHistory({ report: { runId } }: { report: RunReport }) {
  const path = { id: runId };
  const rates = useQuery(getRunRatesOptions({ path }));
  const events = useQuery(listRunEventsOptions({ path, query: { limit: 1000 } }));
  const [series] = useState(createRateSeries);
  const formatTime = useFormatTime();
  const points = rates.data?.points;
  useEffect(() => {
    series.prepend(
      (points ?? []).map(({ at, usersPerSecond }) => ({ atMs: Date.parse(at), perSecond: usersPerSecond })),
    );
  }, [points, series]);
  if (points?.length === 0) return null;
  return (
    <Panel title="Rate" note="users who ended a step, per second">
      {rates.error === null ? (
        <RateChart
          series={series}
          marks={rateMarks(events.data?.items ?? [], formatTime)}
          recordedSince={rates.data?.notedSince ?? null}
        />
      ) : (
        <Failed title="The rates could not be read" error={rates.error} onRetry={() => void rates.refetch()} />
      )}
    </Panel>
  );
}
