import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { countNamedAudiencesOptions, listNamedAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { namedQuery } from './named-words.ts';
import type { AudiencesSearch } from './search.ts';

const pageSize = 20;
const askEveryMs = 10_000;

/** Loads the selected page of audiences, and the number of audiences of each chip. */
export function useNamedAudiences(search: AudiencesSearch) {
  const { text, owner } = search;
  const often = { refetchInterval: askEveryMs, placeholderData: keepPreviousData };
  const query = { limit: pageSize, ...namedQuery(search) };
  const counted = { ...(text !== undefined && { q: text }), ...(owner !== undefined && { owner }) };
  return {
    audiences: useQuery({ ...listNamedAudiencesOptions({ query }), ...often }),
    counts: useQuery({ ...countNamedAudiencesOptions({ query: counted }), ...often }).data,
  };
}
