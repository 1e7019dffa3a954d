import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { countAudiencesOptions, listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { createListQuery } from './listed-words.ts';
import type { AudiencesSearch } from './search.ts';

const pageSize = 20;
const askEveryMs = 10_000;

/** Loads the selected page of audiences, and the number of audiences of each chip. */
export function useAudiences(search: AudiencesSearch) {
  const { text, owner } = search;
  const polling = { refetchInterval: askEveryMs, placeholderData: keepPreviousData };
  const query = { limit: pageSize, ...createListQuery(search) };
  const countQuery = { ...(text !== undefined && { q: text }), ...(owner !== undefined && { owner }) };
  return {
    audiences: useQuery({ ...listAudiencesOptions({ query }), ...polling }),
    counts: useQuery({ ...countAudiencesOptions({ query: countQuery }), ...polling }).data,
  };
}
