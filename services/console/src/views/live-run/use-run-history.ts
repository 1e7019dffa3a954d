import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getRunReportOptions, listRunEventsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';

/** Polling interval in milliseconds. Failures and events change less often than the progress. */
const pollEveryMs = 5000;

export function useRunHistory({ runId, endedAt }: Pick<RunProgress, 'runId' | 'endedAt'>) {
  const path = { id: runId };
  const refetchInterval = endedAt === null ? pollEveryMs : (false as const);
  const report = useQuery({ ...getRunReportOptions({ path }), refetchInterval });
  const events = useQuery({ ...listRunEventsOptions({ path, query: { limit: 1000 } }), refetchInterval });
  const isOver = endedAt !== null;
  const [wasOver] = useState(isOver);
  const [{ refetch: readReport }, { refetch: readEvents }] = [report, events];
  useEffect(() => {
    // Loads both again after the end of the run. A response from just before the end lacks the users that ended last.
    if (isOver && !wasOver) for (const read of [readReport, readEvents]) void read();
  }, [isOver, wasOver, readReport, readEvents]);
  return { report, events };
}
