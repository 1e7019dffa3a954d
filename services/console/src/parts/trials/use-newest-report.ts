import { useQuery } from '@tanstack/react-query';
import { getRunReportOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { hasEnded } from '../standing/state-looks.ts';
import { maxVariants } from '../campaign/variant-forms.ts';

const followEveryMs = 1000;
const lookEveryMs = 10_000;

/** Loads the report of a campaign's newest dry run, and polls it until the run has ended. */
export function useNewestReport(campaignId: string, kind: 'dry-run', enabled = true) {
  const runs = useQuery({
    ...listRunsOptions({ query: { campaignId, kind, limit: 1 } }),
    refetchInterval: lookEveryMs,
    enabled,
  });
  const [newest] = runs.data?.items ?? [];
  const report = useFollowedReport(newest?.runId);
  return { newest, report, isKnown: runs.isSuccess };
}

/** Loads the runs of a campaign's newest test: one, or a run for each variant, in the order of the variants. */
export function useNewestTest(campaignId: string) {
  const query = useQuery({
    ...listRunsOptions({ query: { campaignId, kind: 'test', limit: maxVariants } }),
    refetchInterval: lookEveryMs,
  });
  const [newest, ...earlier] = query.data?.items ?? [];
  // The runs of one test start at the same instant.
  const beside = earlier.filter(({ startedAt }) => startedAt !== null && startedAt === newest?.startedAt);
  return { runs: newest ? [newest, ...beside].toReversed() : [], isKnown: query.isSuccess };
}

/** Loads the report of a run, and polls it until the run has ended. */
export function useFollowedReport(runId: string | undefined): RunReport | undefined {
  const { data } = useQuery({
    ...getRunReportOptions({ path: { id: runId ?? '' } }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.state) ? false : followEveryMs),
  });
  return data;
}

export interface NewestReport {
  report: RunReport;
  isOld: boolean;
}
