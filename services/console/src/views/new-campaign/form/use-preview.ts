import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { previewCampaign } from '#client/sdk.gen.ts';
import type { CampaignDefinitionInput, CampaignPreview } from '#client/types.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { useDebounced } from '../../../parts/forms/use-debounced.ts';

export interface PreviewStanding {
  /** Preview of the input after it last settled. */
  preview: CampaignPreview | undefined;
  /** True if the preview does not belong to the current input. */
  isBehind: boolean;
  error: unknown;
  look: () => void;
}

/** Loads the API's preview of a definition. @param settleMs time in milliseconds without input before a request */
export function usePreview(definition: CampaignDefinitionInput, settleMs: number): PreviewStanding {
  const refusal = useRefusal('manager');
  const settled = useDebounced(definition, settleMs);
  const { data, error, refetch, isPlaceholderData, isLoading } = useQuery({
    queryKey: ['previewCampaign', settled.written],
    queryFn: async ({ signal }) => {
      return (await previewCampaign({ body: settled.value, signal, throwOnError: true })).data;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // Estimates are available only to users who may create campaigns.
    enabled: refusal === undefined,
  });
  return {
    preview: data,
    isBehind: isLoading || isPlaceholderData || settled.isBehind,
    error,
    look: () => void refetch(),
  };
}
