import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { previewCampaign } from '../../api/generated/sdk.gen.ts';
import type { CampaignDefinitionInput, CampaignPreview } from '../../api/generated/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { useSettled } from './use-settled.ts';

const settleMs = 500;

export interface PreviewStanding {
  /** Of what was typed a moment ago. */
  preview: CampaignPreview | undefined;
  /** What is typed now has not been looked at yet. */
  isBehind: boolean;
  error: unknown;
  look: () => void;
}

/** What the API says of a definition that is being written: asked for when nothing was typed for half a second. */
export function usePreview(definition: CampaignDefinitionInput): PreviewStanding {
  const written = JSON.stringify(definition);
  const refusal = useRefusal('manager');
  const settled = useSettled(written, settleMs);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['previewCampaign', settled],
    queryFn: async ({ signal }) => {
      const body: CampaignDefinitionInput = JSON.parse(settled);
      return (await previewCampaign({ body, signal, throwOnError: true })).data;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // Estimates are asked for by those who may make campaigns.
    enabled: refusal === undefined,
  });
  return {
    preview: data,
    isBehind: isPlaceholderData || settled !== written,
    error,
    look: () => void refetch(),
  };
}
