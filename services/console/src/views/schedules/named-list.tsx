import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { FormError } from '../../parts/forms/form-error.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';

interface NamedListDialogProps<Item> {
  title: string;
  lead: string;
  /** Subject of messages, such as `The groups` in “The groups could not be read”. */
  what: string;
  query: { error: unknown; refetch: () => unknown };
  items: readonly Item[] | undefined;
  empty: string;
  columns: readonly Column<Item>[];
  newLabel: string;
  onNew: () => void;
  onChange: (item: Item) => void;
  remove: (name: string) => Promise<unknown>;
  /** Effect of a deletion on schedules that name the deleted item. */
  removeHint?: string;
  changeError?: unknown;
  onClose: () => void;
  /** Form for an item, which replaces the list. */
  children: ReactNode;
}

/** Dialog that lists, creates, changes and deletes named items of schedules. */
export function NamedListDialog<Item extends { name: string }>(props: NamedListDialogProps<Item>) {
  const { title, lead, what, query, items, empty, columns, newLabel, onNew, onChange, children } = props;
  const { remove, removeHint, changeError = null, onClose } = props;
  const queries = useQueryClient();
  const refusal = useRefusal('operator');
  const removing = useMutation({ mutationFn: remove, onSuccess: () => queries.invalidateQueries() });
  const isListed = children === undefined;
  const actions = actionsColumn<Item>((item) => (
    <>
      <Button small refusal={refusal} label={`Change ${item.name}`} onClick={() => onChange(item)}>
        Change…
      </Button>
      <Button
        small
        kind="bad"
        refusal={refusal}
        label={`Delete ${item.name}`}
        disabled={removing.isPending}
        title={removeHint}
        onClick={() => removing.mutate(item.name)}
      >
        Delete
      </Button>
    </>
  ));
  return (
    <Dialog
      title={title}
      isWide
      lead={lead}
      onClose={onClose}
      actions={
        <>
          {isListed && (
            <Button icon="plus" refusal={refusal} onClick={onNew}>
              {newLabel}
            </Button>
          )}
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {isListed ? (
        <ListView what={what} query={query} items={items} empty={<p className="t3 sm">{empty}</p>}>
          <DataTable
            caption={`${title}, by name`}
            columns={[...columns, actions]}
            rows={items}
            keyOf={({ name }) => name}
          />
        </ListView>
      ) : (
        children
      )}
      {[removing.error, changeError].map(
        (error, index) =>
          error !== null && (
            <p key={index} className="c-bad sm" role="alert">
              {problemOf(error).detail}
            </p>
          ),
      )}
    </Dialog>
  );
}

interface NamedFormProps {
  verb: string;
  isIncomplete: boolean;
  save: () => Promise<unknown>;
  onEnd: () => void;
  children: ReactNode;
}

/** Form for an item: saves it as a whole, and returns to the list. */
export function NamedForm({ verb, isIncomplete, save, onEnd, children }: NamedFormProps) {
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: save,
    onSuccess: async () => {
      await queries.invalidateQueries();
      onEnd();
    },
  });
  return (
    <FormProblemsContext value={useFormErrors(saving.error)}>
      {children}
      <FormError error={saving.error} />
      <div className="row">
        <Button small onClick={onEnd}>
          Back
        </Button>
        <Button small kind="ink" disabled={saving.isPending || isIncomplete} onClick={() => saving.mutate()}>
          {verb}
        </Button>
      </div>
    </FormProblemsContext>
  );
}
