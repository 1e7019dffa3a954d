import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type SubmitEvent } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from './dialog.tsx';

interface ExplainDialogProps {
  runId: string;
  onClose: () => void;
}

/** Dialog for a user id. It opens the timeline of that user in the run. */
export function ExplainDialog({ runId, onClose }: ExplainDialogProps) {
  const [userId, setUserId] = useState('');
  const navigate = useNavigate();
  const id = useId();
  const form = useId();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (userId === '') return;
    onClose();
    void navigate({ to: '/runs/$runId/users/$userId', params: { runId, userId } });
  };
  return (
    <Dialog
      title="Explain a user"
      lead="All calls for this user in this run, with their results and reasons."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button kind="ink" type="submit" form={form} disabled={userId === ''}>
            Explain user
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <label className="lab" htmlFor={id}>
          User id, as in the audience
        </label>
        <div className="inp">
          <input
            id={id}
            className="mono"
            value={userId}
            data-autofocus
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => setUserId(event.target.value)}
          />
        </div>
      </form>
    </Dialog>
  );
}
