import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedApiKey } from '#client/types.gen.ts';
import { hasFilters, createKeysQuery } from './key-filters.ts';
import { prependRefused } from './key-words.ts';
import { soonDays, type KeysSearch } from './search.ts';

const pageSize = 50;

export interface ListedKeys {
  items: readonly ListedApiKey[] | undefined;
  next: string | null | undefined;
  error: unknown;
  refetch: () => void;
  stillUsed: readonly ListedApiKey[];
  /** True if `items` begins with keys of `stillUsed`: on the first page without filters. */
  hasStillUsedFirst: boolean;
  /** Number of keys by chip; undefined if it is not counted. */
  counts: Readonly<Record<string, number | undefined>>;
}

export function useListedKeys(search: KeysSearch): ListedKeys {
  const limit = pageSize;
  const query = { limit, ...createKeysQuery(search) };
  const page = useQuery({ ...listApiKeysOptions({ query }), placeholderData: keepPreviousData });
  const refused = useQuery(listApiKeysOptions({ query: { limit, refused: 'true' } })).data?.items;
  const ending = useQuery(listApiKeysOptions({ query: { limit, endsWithinDays: soonDays } })).data?.items;
  const isFirstPage = !hasFilters(search) && search.cursor === undefined;
  const ahead = isFirstPage ? (refused ?? []) : [];
  return {
    items: page.data && prependRefused(ahead, page.data.items),
    next: page.data?.next,
    error: page.error,
    refetch: () => void page.refetch(),
    stillUsed: refused ?? [],
    hasStillUsedFirst: ahead.length > 0,
    counts: { refused: refused?.length, soon: ending?.length },
  };
}
