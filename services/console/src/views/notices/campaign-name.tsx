import { useQuery } from '@tanstack/react-query';
import { getCampaignOptions } from '#client/@tanstack/react-query.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { plainText } from '../../parts/words/plain-text.ts';

const namesChangeRarely = 60_000;

/** The name of a campaign; its id, cut, until that is known, or if it cannot be read. */
export function useCampaignName(id: string): string {
  const { data } = useQuery({ ...getCampaignOptions({ path: { id } }), staleTime: namesChangeRarely, retry: false });
  return data ? plainText(data.name) : shortId(id);
}

export function CampaignName({ id }: { id: string }) {
  return <span title={id}>{useCampaignName(id)}</span>;
}
