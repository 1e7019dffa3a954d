import { useMemo, useState } from 'react';
import type { ActionType, Campaign, CampaignPreview } from '#client/types.gen.ts';
import { bestOf, howManyOf } from '../../../parts/audience/how-many.ts';
import { useNewestReport } from '../../../parts/campaign/use-newest-report.ts';
import { definitionOf } from '../../../parts/campaign/form-definition.ts';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import type { PlacedProblem } from '../review/problem-places.ts';
import { useKeptForm } from './use-kept-form.ts';
import { usePreview } from '../review/use-preview.ts';
import { useSaves, type SavedDraft } from './use-saves.ts';
import { useShownProblems } from './use-shown-problems.ts';

export interface EditorDeps extends SavedDraft {
  types: readonly ActionType[];
  saved: CampaignForm;
  copiedFrom: Pick<Campaign, 'id' | 'name'> | null;
  /** Key of the unsaved input of a new campaign, so that campaigns with different sources do not share it. */
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
  const written = useMemo(() => definitionOf(form, types), [form, types]);
  /** True if the user wants to start, and the preview of the current form is not loaded yet. */
  const [isAwaited, setAwaited] = useState(false);
  const standing = usePreview(written.definition, isAwaited ? 0 : settleMs);
  const size = useSize(standing.preview, draft, kept.isChanged);
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<readonly PlacedProblem[]>([]);
  const shownProblems = useShownProblems({ form, types, written, standing, refused, isTried });
  const saves = useSaves({
    draft,
    etag,
    copiedFrom,
    definition: written.definition,
    onChanged: setDraft,
    onSaved: () => {
      setRefused([]);
      kept.markSaved();
    },
    onRefused: setRefused,
  });

  return {
    ...{ form, definition: written.definition, types, draft, kept, standing, size, isTried, isAwaited, setAwaited },
    ...shownProblems,
    ...saves,
    change: (change: Partial<CampaignForm>) => {
      setRefused([]);
      setAwaited(false);
      setForm((before) => ({ ...before, ...change }));
    },
    tryIt: () => setTried(true),
  };
}

/** Returns the number of users by the preview, or by a dry run of the unchanged draft; null if it is unknown. */
function useSize(preview: CampaignPreview | undefined, draft: Campaign | null, isChanged: boolean) {
  const dryRun = useNewestReport(draft?.id ?? '', 'dry-run', draft !== null);
  if (preview === undefined || preview.countries.length === 0) return null;
  const known = howManyOf(preview.users, preview.asOf);
  return bestOf(known, isChanged ? undefined : dryRun.report, draft?.revision ?? 0);
}
