import { useQuery } from '@tanstack/react-query';
import { getRunReportOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { hasEnded } from '../standing/state-looks.ts';

const followEveryMs = 1000;
const lookEveryMs = 10_000;

/** Loads the report of a campaign's newest test or dry run, and polls it until the run has ended. */
export function useNewestReport(campaignId: string, kind: 'test' | 'dry-run', enabled = true) {
  const runs = useQuery({
    ...listRunsOptions({ query: { campaignId, kind, limit: 1 } }),
    refetchInterval: lookEveryMs,
    enabled,
  });
  const [newest] = runs.data?.items ?? [];
  const { data: report } = useQuery({
    ...getRunReportOptions({ path: { id: newest?.runId ?? '' } }),
    enabled: newest !== undefined,
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.state) ? false : followEveryMs),
  });
  return { newest, report, isKnown: runs.isSuccess };
}

export interface NewestReport {
  report: RunReport;
  isOld: boolean;
}
