import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { Dialog } from './dialog.tsx';

interface VerbDialogProps {
  title: string;
  lead: string;
  /** What happens, and what does not. */
  children: ReactNode;
  /** On the button that does it: `Archive it`. */
  verb: string;
  /** On the button that does not. */
  leave: string;
  isGrave?: boolean;
  act: () => Promise<unknown>;
  /** Before what is shown is asked for again. */
  onDone?: () => Promise<void>;
  onClose: () => void;
}

/** Asks before something is done, and says why it was refused. */
export function VerbDialog({ title, lead, children, verb, leave, isGrave, act, onDone, onClose }: VerbDialogProps) {
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
