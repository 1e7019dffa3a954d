import { useQuery } from '@tanstack/react-query';
import { listAudiencesOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Audience, Run } from '#client/types.gen.ts';

/** What an audience may be made of: the newest lists and runs. */
export function useLists(): readonly Audience[] {
  return useQuery(listAudiencesOptions({ query: { limit: 200 } })).data?.items ?? [];
}

export function useEarlierRuns(): readonly Run[] {
  return useQuery(listRunsOptions({ query: { limit: 200 } })).data?.items ?? [];
}
