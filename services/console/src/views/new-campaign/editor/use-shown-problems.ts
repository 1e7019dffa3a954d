import { useMemo, useState } from 'react';
import type { ActionType } from '#client/types.gen.ts';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import type { definitionOf } from '../../../parts/campaign/form-definition.ts';
import type { FieldProblem, FormProblems } from '../../../parts/forms/form-field.tsx';
import { fieldPointers } from '../review/field-pointers.ts';
import { placeProblems, type PlacedProblem } from '../review/problem-places.ts';
import { problemInWords } from '../review/problem-words.ts';
import type { usePreview } from '../review/use-preview.ts';

interface Looked {
  form: CampaignForm;
  types: readonly ActionType[];
  /** Definition of the form, and what is wrong with it without the API. */
  written: ReturnType<typeof definitionOf>;
  standing: ReturnType<typeof usePreview>;
  /** Problems of the last request that the API refused. */
  refused: readonly PlacedProblem[];
  /** True if the user has tried to save or start: all problems are shown. */
  isTried: boolean;
}

/** Returns problems and warnings of the form, its preview and the last refusal, and which of them fields show. */
export function useShownProblems({ form, types, written, standing, refused, isTried }: Looked) {
  const { left, onLeave } = useLeftFields(standing.isBehind);
  const problems = useMemo(() => {
    const ofForm = new Set(written.problems.map(({ pointer }) => pointer));
    const ofApi = [...refused, ...(standing.preview?.problems ?? [])];
    return unique([...written.problems, ...ofApi.filter(({ pointer }) => !ofForm.has(pointer))]);
  }, [written.problems, refused, standing.preview]);
  const warnings = useMemo(() => standing.preview?.warnings ?? [], [standing.preview]);

  const pointers = useMemo(() => fieldPointers(form, types), [form, types]);
  const placed = useMemo(() => placeProblems(problems, pointers), [problems, pointers]);
  const warned = useMemo(() => placeProblems(warnings, pointers), [warnings, pointers]);
  const fields: FormProblems = {
    at: (pointer) => {
      // A source is added as a whole, so its problems are shown at once.
      const isShown = left.has(pointer) || /^\/audience\/(include|exclude)\/\d/.test(pointer);
      const wrong = isTried || isShown ? (placed.get(pointer) ?? []) : [];
      const words = wrong.map((problem) => problemInWords(problem, written.definition).atField);
      return [
        ...problemsOf('bad', words),
        ...problemsOf(
          'warn',
          warned.get(pointer)?.map(({ detail }) => detail),
        ),
      ];
    },
    onLeave,
  };
  return { problems, warnings, fields };
}

/** Returns the fields that the user has left. @param isBehind true until the preview of the current form is loaded */
function useLeftFields(isBehind: boolean) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  /**
   * Fields that the user has left since the last preview. Their problems may be outdated, and a line that appears and
   * disappears would move the buttons under the pointer.
   */
  const [leftLately, setLeftLately] = useState<ReadonlySet<string>>(new Set());
  if (leftLately.size > 0 && !isBehind) {
    setLeft(left.union(leftLately));
    setLeftLately(new Set());
  }
  const onLeave = (pointer: string) => {
    if (!left.has(pointer)) setLeftLately((before) => new Set([...before, pointer]));
  };
  return { left, onLeave };
}

function problemsOf(tone: FieldProblem['tone'], words: readonly string[] = []): FieldProblem[] {
  return [...new Set(words)].map((detail) => ({ detail, tone }));
}

function unique(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ pointer, detail }) => {
    const key = `${pointer} ${detail}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
