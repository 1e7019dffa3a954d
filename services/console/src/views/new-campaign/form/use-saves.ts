import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeCampaign, cloneCampaign, createCampaign, startCampaign, submitCampaign } from '#client/sdk.gen.ts';
import { listCampaignsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, CampaignDefinitionInput, CampaignPatchInput } from '#client/types.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import type { PlacedProblem } from './problem-places.ts';

export interface SavedDraft {
  /** The edited draft; null for a new campaign. */
  draft: Campaign | null;
  etag: string | null;
}

interface SavesOptions extends SavedDraft {
  definition: CampaignDefinitionInput;
  copiedFrom: Pick<Campaign, 'id'> | null;
  onChanged: (saved: SavedDraft) => void;
  onSaved: () => void;
  onRefused: (problems: readonly PlacedProblem[]) => void;
}

/** Requests of the editor: saving the form, and starting or submitting a saved campaign. */
export function useSaves({ draft, etag, definition: body, copiedFrom, onChanged, onSaved, onRefused }: SavesOptions) {
  const queries = useQueryClient();
  const onSuccess = () => void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() });
  const onError = (error: Error) => onRefused(problemOf(error).errors);
  const save = useMutation({
    mutationFn: async (): Promise<Campaign> => {
      if (draft === null) return await createOrClone(body, copiedFrom);
      const headers = etag === null ? {} : { 'if-match': etag };
      const path = { id: draft.id };
      const { data, response } = await changeCampaign({ path, body: completePatch(body), headers, throwOnError: true });
      onChanged({ draft: data, etag: response.headers.get('etag') });
      return data;
    },
    onSuccess: () => {
      onSaved();
      onSuccess();
    },
    onError,
  });
  const start = useMutation({
    mutationFn: async (id: string) => (await startCampaign({ path: { id }, throwOnError: true })).data,
    onSuccess,
    onError,
  });
  const submit = useMutation({
    mutationFn: async (id: string) => (await submitCampaign({ path: { id }, body: {}, throwOnError: true })).data,
    onSuccess,
    onError,
  });
  return { save, start, submit };
}

/**
 * Creates a campaign. A copy is created by the API's clone operation, which also copies fields that this form lacks.
 */
async function createOrClone(body: CampaignDefinitionInput, copiedFrom: SavesOptions['copiedFrom']): Promise<Campaign> {
  if (copiedFrom === null) return (await createCampaign({ body, throwOnError: true })).data;
  const path = { id: copiedFrom.id };
  return (await cloneCampaign({ path, body: completePatch(body), throwOnError: true })).data;
}

/** Adds null for every missing field, which resets it to the default of a new campaign. */
function completePatch(definition: CampaignDefinitionInput): CampaignPatchInput {
  const absent = {
    savedAudience: null,
    budgets: null,
    paceUsersPerSecond: null,
    pauseAtFailedPercent: null,
    pauseAtFailedMinUsers: null,
  };
  return { ...absent, canary: null, deadlineSeconds: null, ...definition };
}
