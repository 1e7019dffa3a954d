import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { FormProblemsContext, type FormProblems } from './form-field.tsx';
import { useFormErrors } from './use-form-errors.ts';
import { FormError } from './form-error.tsx';

interface EditDialogProps<Saved> {
  title: string;
  lead?: string;
  isWide?: boolean;
  /** Fields of the form. Each field shows the problems of its pointer. */
  children: ReactNode;
  verb: string;
  leave?: string;
  note?: string | undefined;
  /** Reason why the form cannot be saved yet. */
  refusal?: string | undefined;
  /** True if the form cannot be saved yet and its fields show why. */
  isIncomplete?: boolean;
  /** True if nothing was changed: saving then closes the dialog without a request. */
  isUnchanged?: boolean;
  /** Problems of the typed text by pointer. The form cannot be saved while there are any. */
  wrong?: ReadonlyMap<string, string>;
  /** Prefix of the form's pointers within the request, such as `/rules/3`. */
  within?: string;
  save: () => Promise<Saved>;
  /** Content after saving, such as a secret that is shown once. Without content, the dialog closes at once. */
  outcome?: (saved: Saved) => ReactNode;
  /** Called when the dialog closes after it has saved. All data of the page has been loaded again by then. */
  onSaved?: (saved: Saved) => void;
  onClose: () => void;
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * A dialog that edits an object and saves it as a whole. Problems are shown at their fields, all others below the form.
 */
export function EditDialog<Saved>(props: EditDialogProps<Saved>) {
  const { title, lead, isWide = false, children, verb, leave = 'Cancel', note, refusal, isIncomplete = false } = props;
  const { isUnchanged = false, wrong = none, within = '', save, outcome, onSaved, onClose } = props;
  const queries = useQueryClient();
  const finish = (saved: Saved) => {
    onSaved?.(saved);
    onClose();
  };
  const saving = useMutation({
    mutationFn: save,
    onSuccess: async (saved) => {
      await queries.invalidateQueries();
      if (!hasContent(outcome?.(saved))) finish(saved);
    },
  });
  const problems = problemsOf(useFormErrors(saving.error), wrong, within);
  const result = saving.isSuccess ? outcome?.(saving.data) : null;
  // After saving, the same dialog shows the result at the same position, so that a screen reader stays in the dialog.
  const done = saving.isSuccess && hasContent(result) ? () => finish(saving.data) : undefined;
  return (
    <Dialog
      title={title}
      lead={lead}
      isWide={isWide}
      onClose={done ?? onClose}
      actions={
        done ? (
          <Button kind="ink" onClick={done}>
            Done
          </Button>
        ) : (
          <>
            {note !== undefined && <span className="t3 sm mr-auto">{note}</span>}
            <Button onClick={onClose}>{leave}</Button>
            <Button
              kind="ink"
              disabled={saving.isPending || isIncomplete || wrong.size > 0}
              refusal={refusal}
              onClick={() => (isUnchanged ? onClose() : saving.mutate())}
            >
              {verb}
            </Button>
          </>
        )
      }
    >
      {done ? (
        result
      ) : (
        <FormProblemsContext value={problems}>
          {children}
          <FormError error={saving.error} within={within} />
        </FormProblemsContext>
      )}
    </Dialog>
  );
}

function hasContent(content: ReactNode): boolean {
  return content !== undefined && content !== null;
}

/** Merges both kinds of problems. At the same pointer, a problem of the typed text replaces the API's. */
function problemsOf(refused: FormProblems, wrong: ReadonlyMap<string, string>, within: string): FormProblems {
  return {
    ...refused,
    at: (pointer) => {
      const detail = wrong.get(pointer);
      return detail === undefined ? refused.at(`${within}${pointer}`) : [{ detail, tone: 'bad' }];
    },
  };
}
