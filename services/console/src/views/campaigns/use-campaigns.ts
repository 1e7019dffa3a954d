import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { countCampaignsOptions, listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedCampaign } from '#client/types.gen.ts';
import type { CampaignsSearch } from './search.ts';
import { keepOrder } from './stable-order.ts';

export const pageSize = 20;

/**
 * Polling interval in milliseconds. Polling is needed because the event stream does not report when a run begins to
 * need attention.
 */
const askEveryMs = 30_000;

function filterOf({ text, country, action, tag, owner, list, segment, savedAudience }: CampaignsSearch) {
  return {
    ...(text !== undefined && text !== '' && { q: text }),
    ...(country !== undefined && { country }),
    ...(action !== undefined && { action }),
    ...(tag !== undefined && { tag }),
    ...(owner !== undefined && { owner }),
    ...(list !== undefined && { list }),
    ...(segment !== undefined && { segment }),
    ...(savedAudience !== undefined && { savedAudience }),
  };
}

export function useCampaigns(search: CampaignsSearch) {
  const { state, cursor } = search;
  const query = {
    ...filterOf(search),
    ...(state !== undefined && { state }),
    ...(cursor !== undefined && { cursor }),
    sort: search.sort ?? ('state' as const),
    limit: pageSize,
  };
  return useQuery({
    ...listCampaignsOptions({ query }),
    refetchInterval: askEveryMs,
    placeholderData: keepPreviousData,
  });
}

/** Loads the number of campaigns by state, with the other filters applied. */
export function useCampaignCounts(search: CampaignsSearch) {
  return useQuery({
    ...countCampaignsOptions({ query: filterOf(search) }),
    refetchInterval: askEveryMs,
    placeholderData: keepPreviousData,
  });
}

/**
 * Returns the rows in the order in which they were first shown. The current order applies once the user requests it.
 */
export function useStableRows(items: readonly ListedCampaign[], place: string) {
  const [displayed, setDisplayed] = useState<{ place: string; ids: readonly string[] }>({ place: '', ids: [] });
  const ids = items.map(({ id }) => id);
  // Another page, or other filters: there is no earlier order to keep.
  const isNew = displayed.place !== place || displayed.ids.length === 0;
  if (isNew && ids.length > 0) setDisplayed({ place, ids });
  const { rows, moved } = isNew ? { rows: [...items], moved: 0 } : keepOrder(displayed.ids, items);
  return { rows, moved, sortAgain: () => setDisplayed({ place, ids }) };
}
