import { useMemo, useState } from 'react';
import type { ActionType } from '#client/types.gen.ts';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import type { definitionOf } from '../../../parts/campaign/form-definition.ts';
import type { FieldProblem, FormProblems } from '../../../parts/forms/form-field.tsx';
import { fieldPointers, displayedPointer } from './field-pointers.ts';
import { groupProblems, type PlacedProblem } from './problem-places.ts';
import { describeProblem } from './describe-problem.ts';
import type { usePreview } from './use-preview.ts';

interface ProblemSources {
  form: CampaignForm;
  types: readonly ActionType[];
  /** Definition that the form describes, and the problems that the console found without the API. */
  parsedForm: ReturnType<typeof definitionOf>;
  standing: ReturnType<typeof usePreview>;
  /** Problems that the API reported when it refused the last request. */
  refused: readonly PlacedProblem[];
  /** True if the user has tried to save or start: all problems are shown. */
  isTried: boolean;
}

/**
 * Returns the problems and warnings of the form, from the console, the preview and the last refusal, and the fields
 * that show them.
 */
export function useFieldProblems({ form, types, parsedForm, standing, refused, isTried }: ProblemSources) {
  const { leftFields, onLeave } = useLeftFields(standing.isBehind);
  const problems = useMemo(() => {
    const formPointers = new Set(parsedForm.problems.map(({ pointer }) => pointer));
    const apiProblems = [...refused, ...(standing.preview?.problems ?? [])].map((problem) => ({
      ...problem,
      pointer: displayedPointer(problem.pointer, form),
    }));
    return unique([...parsedForm.problems, ...apiProblems.filter(({ pointer }) => !formPointers.has(pointer))]);
  }, [form, parsedForm.problems, refused, standing.preview]);
  const warnings = useMemo(() => standing.preview?.warnings ?? [], [standing.preview]);

  const pointers = useMemo(() => fieldPointers(form, types), [form, types]);
  const placed = useMemo(() => groupProblems(problems, pointers), [problems, pointers]);
  const warned = useMemo(() => groupProblems(warnings, pointers), [warnings, pointers]);
  const fields: FormProblems = {
    at: (pointer) => {
      // A source is added as a whole, so its problems are shown at once.
      const isVisible = leftFields.has(pointer) || /^\/audience\/(include|exclude)\/\d/.test(pointer);
      const wrong = isTried || isVisible ? (placed.get(pointer) ?? []) : [];
      const words = wrong.map((problem) => describeProblem(problem, parsedForm.definition).atField);
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
  const [leftFields, setLeftFields] = useState<ReadonlySet<string>>(new Set());
  /**
   * Fields that the user has left since the last preview. Their problems may be outdated, and a line that appears and
   * disappears would move the buttons under the pointer.
   */
  const [recentlyLeft, setRecentlyLeft] = useState<ReadonlySet<string>>(new Set());
  if (recentlyLeft.size > 0 && !isBehind) {
    setLeftFields(leftFields.union(recentlyLeft));
    setRecentlyLeft(new Set());
  }
  const onLeave = (pointer: string) => {
    if (!leftFields.has(pointer)) setRecentlyLeft((before) => new Set([...before, pointer]));
  };
  return { leftFields, onLeave };
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
