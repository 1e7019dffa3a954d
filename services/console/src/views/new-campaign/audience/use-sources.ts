import { useQuery } from '@tanstack/react-query';
import { listAudiencesOptions, listCampaignsOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Audience, Run } from '#client/types.gen.ts';

/** What an audience may be made of: the newest lists and runs. */
export function useLists(): readonly Audience[] {
  return useQuery(listAudiencesOptions({ query: { limit: 200 } })).data?.items ?? [];
}

export function useEarlierRuns(): readonly Run[] {
  return useQuery(listRunsOptions({ query: { limit: 200 } })).data?.items ?? [];
}

/** Segments of the newest campaigns, by name: nobody has to know them by heart. */
export function useUsedSegments(): readonly string[] {
  const campaigns = useQuery(listCampaignsOptions({ query: { limit: 100 } })).data?.items ?? [];
  const entries = campaigns.flatMap(({ audience }) => [...audience.include, ...(audience.exclude ?? [])]);
  return [...new Set(entries.flatMap((entry) => ('segment' in entry ? [entry.segment] : [])))].sort();
}
