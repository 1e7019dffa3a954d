import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { FormProblemsContext, type FormProblems } from './form-field.tsx';
import { useRefusedFields } from './refused-fields.ts';
import { RefusedWhole } from './refused-whole.tsx';

interface EditDialogProps<Saved> {
  title: string;
  lead: string;
  isWide?: boolean;
  /** The form. A field shows the problems of its pointer. */
  children: ReactNode;
  /** On the button that saves. */
  verb: string;
  /** On the button that changes nothing. */
  leave?: string;
  /** Beside the buttons. */
  note?: string | undefined;
  /** Why the form cannot be saved as it is. */
  refusal?: string | undefined;
  /** The form cannot be saved as it is, which can be seen at its fields. */
  isIncomplete?: boolean;
  /** Nothing was changed: saving closes the dialog and sends nothing. */
  isUnchanged?: boolean;
  /** Problems of what is typed, by the pointers of their fields; the form cannot be saved with them. */
  wrong?: ReadonlyMap<string, string>;
  /** What the API has the form in, such as `/rules/3`: pointers of its problems begin with it. */
  within?: string;
  save: () => Promise<Saved>;
  /** Called after everything on the page was read again, before the dialog closes. */
  onSaved?: (saved: Saved) => void;
  onClose: () => void;
}

const none: ReadonlyMap<string, string> = new Map();

/** Edits something and saves it as a whole. What the API refuses stands at its field, or below the form. */
export function EditDialog<Saved>(props: EditDialogProps<Saved>) {
  const { title, lead, isWide = false, children, verb, leave = 'Cancel', note, refusal, isIncomplete = false } = props;
  const { isUnchanged = false, wrong = none, within = '', save, onSaved, onClose } = props;
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: save,
    onSuccess: async (saved) => {
      await queries.invalidateQueries();
      onSaved?.(saved);
      onClose();
    },
  });
  const refused = useRefusedFields(saving.error);
  const problems: FormProblems = {
    ...refused,
    at: (pointer) => {
      const detail = wrong.get(pointer);
      return detail === undefined ? refused.at(`${within}${pointer}`) : [{ detail, tone: 'bad' }];
    },
  };
  return (
    <Dialog
      title={title}
      lead={lead}
      isWide={isWide}
      onClose={onClose}
      actions={
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
      }
    >
      <FormProblemsContext value={problems}>
        {children}
        <RefusedWhole error={saving.error} />
      </FormProblemsContext>
    </Dialog>
  );
}
