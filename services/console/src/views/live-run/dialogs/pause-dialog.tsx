import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pauseRunMutation, previewCancelOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { RunProgress } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Effects } from '../../../parts/effects.tsx';
import { useMinute } from '../../../parts/now.ts';
import { useFormatTime } from '../../../parts/zone.ts';
import { DialogLead } from './dialog-lead.tsx';
import { pauseEffects } from './effects-of.tsx';
import { NoteField } from './note-field.tsx';
import { Refused } from '../../../parts/refused.tsx';

interface ControlDialogProps {
  progress: RunProgress;
  onClose: () => void;
  /** It was done: what is shown of the run is old. */
  onDone: () => void;
}

/** Before a pause: what finishes, what waits, and what time takes all the same. */
export function PauseDialog({ progress, onClose, onDone }: ControlDialogProps) {
  const [note, setNote] = useState('');
  const nowMs = useMinute();
  const timeOf = useFormatTime();
  const path = { id: progress.runId };
  const { data: preview } = useQuery(previewCancelOptions({ path }));
  const pause = useMutation({ ...pauseRunMutation(), onSuccess: onDone });
  const reason = note.trim();
  const submit = () => pause.mutate({ path, body: reason === '' ? {} : { reason } });
  return (
    <Dialog
      title="Pause this run?"
      lead={<DialogLead progress={progress} countedAt={progress.asOf} />}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep running</Button>
          <Button kind="ink" icon="pause" data-autofocus disabled={pause.isPending} onClick={submit}>
            Pause run
          </Button>
        </>
      }
    >
      <Effects effects={pauseEffects(progress, { preview, nowMs, timeOf })} />
      <p className="t2">Resume goes on where it stopped. Nobody who got a step gets it again.</p>
      <NoteField value={note} onChange={setNote} />
      {pause.error !== null && <Refused error={pause.error} />}
    </Dialog>
  );
}
