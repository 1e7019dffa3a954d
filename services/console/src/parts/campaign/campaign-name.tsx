import { useQuery } from '@tanstack/react-query';
import { getCampaignOptions } from '#client/@tanstack/react-query.gen.ts';
import { shortId } from '../controls/copy-button.tsx';
import { plainText } from '../words/plain-text.ts';

const nameLifeMs = 60_000;

/** Returns the name of a campaign. Until the name is loaded, or if loading fails, returns the shortened id. */
export function useCampaignName(id: string): string {
  const { data } = useQuery({ ...getCampaignOptions({ path: { id } }), staleTime: nameLifeMs, retry: false });
  return data ? plainText(data.name) : shortId(id);
}

export function CampaignName({ id }: { id: string }) {
  return <span title={id}>{useCampaignName(id)}</span>;
}
