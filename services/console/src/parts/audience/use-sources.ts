import { useQueries, useQuery } from '@tanstack/react-query';
import {
  getAudienceOptions,
  getRunOptions,
  listAudiencesOptions,
  listRunsOptions,
} from '#client/@tanstack/react-query.gen.ts';
import type { ListedAudience, Run, SavedAudience } from '#client/types.gen.ts';

/** Loads the lists that a campaign can use, the most used first. */
export function useLists(): readonly ListedAudience[] {
  const query = { kind: 'list', state: 'ready', limit: 200 } as const;
  return useQuery(listAudiencesOptions({ query })).data?.items ?? [];
}

/** Largest list of testers, as the API limits tests. */
const mostTesters = 200;

/** Loads the lists that a test can be sent to, the most used first. */
export function useTesterLists(): readonly ListedAudience[] {
  const query = { kind: 'list', usersAtMost: mostTesters, limit: 200 } as const;
  return useQuery(listAudiencesOptions({ query })).data?.items ?? [];
}

export function useEarlierRuns(): readonly Run[] {
  return useQuery(listRunsOptions({ query: { limit: 200 } })).data?.items ?? [];
}

/** Loads the lists and runs that an audience uses, however old they are. */
export function useNamedSources({ include, exclude = [] }: Pick<SavedAudience['audience'], 'include' | 'exclude'>) {
  const entries = [...include, ...exclude];
  const lists = new Set(entries.flatMap((entry) => ('list' in entry ? [entry.list] : [])));
  const runs = new Set(entries.flatMap((entry) => ('runId' in entry ? [entry.runId] : [])));
  const kept = { staleTime: 60_000, retry: false };
  const foundLists = useQueries({
    queries: [...lists].map((id) => ({ ...getAudienceOptions({ path: { id } }), ...kept })),
  });
  const foundRuns = useQueries({ queries: [...runs].map((id) => ({ ...getRunOptions({ path: { id } }), ...kept })) });
  return {
    lists: foundLists.flatMap(({ data }) => (data?.kind === 'list' ? data : [])),
    runs: foundRuns.flatMap(({ data }) => data ?? []),
  };
}
