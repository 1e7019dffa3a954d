import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { previewCampaign } from '#client/sdk.gen.ts';
import type { CampaignDefinitionInput, CampaignPreview } from '#client/types.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { useSettled } from '../../../parts/forms/use-settled.ts';

export interface PreviewStanding {
  /** Of what was typed a moment ago. */
  preview: CampaignPreview | undefined;
  /** What is typed now has not been looked at yet. */
  isBehind: boolean;
  error: unknown;
  look: () => void;
}

/**
 * What the API says of a definition that is being written.
 * @param settleMs it is asked for when nothing was typed for so long
 */
export function usePreview(definition: CampaignDefinitionInput, settleMs: number): PreviewStanding {
  const refusal = useRefusal('manager');
  const settled = useSettled(definition, settleMs);
  const { data, error, refetch, isPlaceholderData, isLoading } = useQuery({
    queryKey: ['previewCampaign', settled.written],
    queryFn: async ({ signal }) => {
      return (await previewCampaign({ body: settled.value, signal, throwOnError: true })).data;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // Estimates are asked for by those who may make campaigns.
    enabled: refusal === undefined,
  });
  return {
    preview: data,
    isBehind: isLoading || isPlaceholderData || settled.isBehind,
    error,
    look: () => void refetch(),
  };
}
