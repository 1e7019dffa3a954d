import { useMemo, useState } from 'react';
import type { ActionType, Campaign, CampaignPreview } from '#client/types.gen.ts';
import { bestKnownCount, userCountOf } from '../../../parts/audience/user-count.ts';
import { useNewestReport } from '../../../parts/trials/use-newest-report.ts';
import { definitionOf } from '../../../parts/campaign/form-definition.ts';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import type { PlacedProblem } from './problem-places.ts';
import { useKeptForm } from './use-kept-form.ts';
import { usePreview } from './use-preview.ts';
import { useSaves, type SavedDraft } from './use-saves.ts';
import { useFieldProblems } from './use-field-problems.ts';

export interface EditorDeps extends SavedDraft {
  types: readonly ActionType[];
  saved: CampaignForm;
  copiedFrom: Pick<Campaign, 'id' | 'name'> | null;
  /**
   * Key under which the unsaved input of a new campaign is stored. Campaigns created from different sources thus do not
   * share their input.
   */
  keptAs?: string | undefined;
}

export type Editor = ReturnType<typeof useEditor>;

/** Time in milliseconds without input after which the API previews the definition. */
const settleMs = 500;

/** State of the editor: the form, its preview by the API, its problems, and its actions. */
export function useEditor({ types, saved, copiedFrom, keptAs = 'new', ...found }: EditorDeps) {
  const [{ draft, etag }, setDraft] = useState<SavedDraft>({ draft: found.draft, etag: found.etag });
  const kept = useKeptForm(saved, draft?.id ?? keptAs);
  const { form, setForm } = kept;
  const parsedForm = useMemo(() => definitionOf(form, types), [form, types]);
  /** True if the user wants to start, and the preview of the current form is not loaded yet. */
  const [isAwaitingPreview, setAwaitingPreview] = useState(false);
  const standing = usePreview(parsedForm.definition, isAwaitingPreview ? 0 : settleMs);
  const size = useSize(standing.preview, draft, kept.isChanged);
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<readonly PlacedProblem[]>([]);
  const fieldProblems = useFieldProblems({ form, types, parsedForm, standing, refused, isTried });
  const saves = useSaves({
    draft,
    etag,
    copiedFrom,
    definition: parsedForm.definition,
    onChanged: setDraft,
    onSaved: () => {
      setRefused([]);
      kept.markSaved();
    },
    onRefused: setRefused,
  });

  return {
    form,
    definition: parsedForm.definition,
    types,
    draft,
    kept,
    standing,
    size,
    isTried,
    isAwaitingPreview,
    setAwaitingPreview,
    ...fieldProblems,
    ...saves,
    change: (change: Partial<CampaignForm>) => {
      setRefused([]);
      setAwaitingPreview(false);
      setForm((before) => ({ ...before, ...change }));
    },
    markTried: () => setTried(true),
  };
}

/**
 * Returns the number of users from the preview, or from a dry run if the draft is unchanged since. Null if the number
 * is unknown.
 */
function useSize(preview: CampaignPreview | undefined, draft: Campaign | null, isChanged: boolean) {
  const dryRun = useNewestReport(draft?.id ?? '', 'dry-run', draft !== null);
  if (preview === undefined || preview.countries.length === 0) return null;
  const known = userCountOf(preview.users, preview.asOf);
  return bestKnownCount(known, isChanged ? undefined : dryRun.report, draft?.revision ?? 0);
}
