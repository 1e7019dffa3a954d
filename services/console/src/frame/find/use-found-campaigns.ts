import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { FindTarget } from './find-targets.ts';

const most = 6;

/** Campaigns whose name has the text in it: asked of the server, from two characters on. */
export function useFoundCampaigns(text: string): FindTarget[] {
  const wanted = useDeferredValue(text.trim());
  const { data } = useQuery({
    ...listCampaignsOptions({ query: { limit: most } }),
    enabled: wanted.length >= 2 && !wanted.includes('_'),
  });
  return (data?.items ?? []).map(({ id, name }) => ({
    id,
    icon: 'campaign',
    label: name,
    kind: 'Campaign',
    link: { to: '/campaigns', search: { text: id } },
  }));
}
