import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { Dialog } from './dialog.tsx';

interface VerbDialogProps {
  title: string;
  lead: string;
  children: ReactNode;
  verb: string;
  leave: string;
  isGrave?: boolean;
  act: () => Promise<unknown>;
  /** Called after the action, before the data of the page is loaded again. */
  onDone?: () => Promise<void>;
  onClose: () => void;
}

/** Confirmation of an action. If the API refuses the action, the dialog shows why. */
export function ConfirmDialog({ title, lead, children, verb, leave, isGrave, act, onDone, onClose }: VerbDialogProps) {
  const queries = useQueryClient();
  const doing = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await onDone?.();
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={title}
      lead={lead}
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose} data-autofocus>
            {leave}
          </Button>
          <Button kind={isGrave ? 'solid-bad' : 'ink'} disabled={doing.isPending} onClick={() => doing.mutate()}>
            {verb}
          </Button>
        </span>
      }
    >
      <div className="t2">{children}</div>
      {doing.isError && <Refused error={doing.error} />}
    </Dialog>
  );
}

function Refused({ error }: { error: Error }) {
  const { detail, errors } = problemOf(error);
  return (
    <p className="c-bad sm" role="alert">
      {errors.length === 0 ? detail : errors.map((each) => each.detail).join('; ')}
    </p>
  );
}
