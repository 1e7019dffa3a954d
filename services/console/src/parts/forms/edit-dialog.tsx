import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { FormProblemsContext, type FormProblems } from './form-field.tsx';
import { useRefusedFields } from './refused-fields.ts';
import { RefusedWhole } from './refused-whole.tsx';

interface EditDialogProps<Saved> {
  title: string;
  lead?: string;
  isWide?: boolean;
  /** The form. A field shows the problems of its pointer. */
  children: ReactNode;
  /** On the button that saves. */
  verb: string;
  /** On the button that changes nothing. */
  leave?: string;
  /** Beside the buttons. */
  note?: string | undefined;
  /** Reason why the form cannot be saved as it is. */
  refusal?: string | undefined;
  /** The form cannot be saved as it is, which can be seen at its fields. */
  isIncomplete?: boolean;
  /** Nothing was changed: saving closes the dialog and sends nothing. */
  isUnchanged?: boolean;
  /** Problems of what is typed, by the pointers of their fields; the form cannot be saved with them. */
  wrong?: ReadonlyMap<string, string>;
  /** Pointer of the form within the request, such as `/rules/3`; pointers of problems begin with it. */
  within?: string;
  save: () => Promise<Saved>;
  /** Content after saving, such as a secret that is shown once; the dialog closes at once without any. */
  outcome?: (saved: Saved) => ReactNode;
  /** Called once the dialog closes after it has saved; everything on the page was read again by then. */
  onSaved?: (saved: Saved) => void;
  onClose: () => void;
}

const none: ReadonlyMap<string, string> = new Map();

/** Edits something and saves it as a whole. Problems stand at their fields, all others below the form. */
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
  const problems = problemsOf(useRefusedFields(saving.error), wrong, within);
  const result = saving.isSuccess ? outcome?.(saving.data) : null;
  // The same dialog goes on: it keeps its place, and a screen reader stays in it.
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
          <RefusedWhole error={saving.error} />
        </FormProblemsContext>
      )}
    </Dialog>
  );
}

function hasContent(content: ReactNode): boolean {
  return content !== undefined && content !== null;
}

/** Problems of the typed text come first, then those that the API found. */
function problemsOf(refused: FormProblems, wrong: ReadonlyMap<string, string>, within: string): FormProblems {
  return {
    ...refused,
    at: (pointer) => {
      const detail = wrong.get(pointer);
      return detail === undefined ? refused.at(`${within}${pointer}`) : [{ detail, tone: 'bad' }];
    },
  };
}
