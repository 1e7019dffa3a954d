import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { changeCampaign, cloneCampaign, createCampaign, startCampaign, submitCampaign } from '#client/sdk.gen.ts';
import { listCampaignsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { ActionType, Campaign, CampaignDefinitionInput, CampaignPatchInput } from '#client/types.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import type { FormProblems, FieldProblem } from '../../../parts/forms/form-field.tsx';
import { fieldPointers } from '../review/field-pointers.ts';
import { bestOf, howManyOf } from '../../../parts/audience/how-many.ts';
import { useNewestReport } from '../../../parts/campaign/use-newest-report.ts';
import { definitionOf } from '../../../parts/campaign/form-definition.ts';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import { placeProblems, type PlacedProblem } from '../review/problem-places.ts';
import { problemInWords } from '../review/problem-words.ts';
import { useKeptForm } from './use-kept-form.ts';
import { usePreview } from '../review/use-preview.ts';

export interface EditorDeps {
  types: readonly ActionType[];
  saved: CampaignForm;
  /** The edited draft; null for a new campaign. */
  draft: Campaign | null;
  etag: string | null;
  copiedFrom: Pick<Campaign, 'id' | 'name'> | null;
  /** Key of the unsaved input of a new campaign, so that campaigns with different sources do not share it. */
  keptAs?: string | undefined;
}

export type Editor = ReturnType<typeof useEditor>;

/** Time in milliseconds without input after which the API previews the definition. */
const settleMs = 500;

/** State of the editor: the form, its preview by the API, its problems, and its actions. */
export function useEditor({ types, saved, copiedFrom, keptAs = 'new', ...found }: EditorDeps) {
  const [{ draft, etag }, setDraft] = useState({ draft: found.draft, etag: found.etag });
  const kept = useKeptForm(saved, draft?.id ?? keptAs);
  const { form, setForm } = kept;
  const said = useMemo(() => definitionOf(form, types), [form, types]);
  /** True if the user wants to start, and the preview of the current form is not loaded yet. */
  const [isAwaited, setAwaited] = useState(false);
  const standing = usePreview(said.definition, isAwaited ? 0 : settleMs);
  const dryRun = useNewestReport(draft?.id ?? '', 'dry-run', draft !== null);
  const { preview } = standing;
  /** Null if the size is unknown. */
  const size =
    preview === undefined || preview.countries.length === 0
      ? null
      : bestOf(
          howManyOf(preview.users, preview.asOf),
          kept.isChanged ? undefined : dryRun.report,
          draft?.revision ?? 0,
        );
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  /**
   * Fields that the user has left since the last preview. Their problems may be outdated, and a line that appears and
   * disappears would move the buttons under the pointer.
   */
  const [leftLately, setLeftLately] = useState<ReadonlySet<string>>(new Set());
  if (leftLately.size > 0 && !standing.isBehind) {
    setLeft(left.union(leftLately));
    setLeftLately(new Set());
  }
  /** True if the user has tried to save or start: all problems are shown. */
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<readonly PlacedProblem[]>([]);

  const problems = useMemo(() => {
    const ofForm = new Set(said.problems.map(({ pointer }) => pointer));
    const ofApi = [...refused, ...(standing.preview?.problems ?? [])];
    return unique([...said.problems, ...ofApi.filter(({ pointer }) => !ofForm.has(pointer))]);
  }, [said.problems, refused, standing.preview]);
  const warnings = useMemo(() => standing.preview?.warnings ?? [], [standing.preview]);

  const pointers = useMemo(() => fieldPointers(form, types), [form, types]);
  const placed = useMemo(() => placeProblems(problems, pointers), [problems, pointers]);
  const warned = useMemo(() => placeProblems(warnings, pointers), [warnings, pointers]);
  const fields: FormProblems = {
    at: (pointer) => {
      // A source is added as a whole, so its problems are shown at once.
      const isSaid = left.has(pointer) || /^\/audience\/(include|exclude)\/\d/.test(pointer);
      const wrong = isTried || isSaid ? (placed.get(pointer) ?? []) : [];
      const words = wrong.map((problem) => problemInWords(problem, said.definition).atField);
      return [
        ...problemsOf('bad', words),
        ...problemsOf(
          'warn',
          warned.get(pointer)?.map(({ detail }) => detail),
        ),
      ];
    },
    onLeave: (pointer) => {
      if (!left.has(pointer)) setLeftLately((before) => new Set([...before, pointer]));
    },
  };

  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async (): Promise<Campaign> => {
      const body = said.definition;
      if (draft === null) return await made(body, copiedFrom);
      const headers = etag === null ? {} : { 'if-match': etag };
      const path = { id: draft.id };
      const { data, response } = await changeCampaign({ path, body: wholePatch(body), headers, throwOnError: true });
      setDraft({ draft: data, etag: response.headers.get('etag') });
      return data;
    },
    onSuccess: () => {
      setRefused([]);
      kept.markSaved();
      void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() });
    },
    onError: (error) => setRefused(problemOf(error).errors),
  });
  const start = useMutation({
    mutationFn: async (id: string) => (await startCampaign({ path: { id }, throwOnError: true })).data,
    onSuccess: () => void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() }),
    onError: (error) => setRefused(problemOf(error).errors),
  });

  const submit = useMutation({
    mutationFn: async (id: string) => (await submitCampaign({ path: { id }, body: {}, throwOnError: true })).data,
    onSuccess: () => void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() }),
    onError: (error) => setRefused(problemOf(error).errors),
  });

  return {
    ...{ form, definition: said.definition, types, draft, kept, standing, size, problems, warnings, fields, isTried },
    ...{ isAwaited, setAwaited },
    change: (change: Partial<CampaignForm>) => {
      setRefused([]);
      setAwaited(false);
      setForm((before) => ({ ...before, ...change }));
    },
    tryIt: () => setTried(true),
    ...{ save, start, submit },
  };
}

function problemsOf(tone: FieldProblem['tone'], words: readonly string[] = []): FieldProblem[] {
  return [...new Set(words)].map((detail) => ({ detail, tone }));
}

/** Creates a copy by the API, which also copies fields that this form lacks. */
async function made(body: CampaignDefinitionInput, copiedFrom: EditorDeps['copiedFrom']): Promise<Campaign> {
  if (copiedFrom === null) return (await createCampaign({ body, throwOnError: true })).data;
  const path = { id: copiedFrom.id };
  return (await cloneCampaign({ path, body: wholePatch(body), throwOnError: true })).data;
}

/** Adds null for every missing field, which resets it to the default of a new campaign. */
function wholePatch(definition: CampaignDefinitionInput): CampaignPatchInput {
  const absent = {
    savedAudience: null,
    budgets: null,
    paceUsersPerSecond: null,
    pauseAtFailedPercent: null,
    pauseAtFailedMinUsers: null,
  };
  return { ...absent, canary: null, deadlineSeconds: null, ...definition };
}

function unique(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ pointer, detail }) => {
    const key = `${pointer} ${detail}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
