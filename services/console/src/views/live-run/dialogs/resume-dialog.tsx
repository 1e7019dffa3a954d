import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { resumeRunMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { RunProgress } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Effects } from '../../../parts/effects.tsx';
import { useMinute } from '../../../parts/now.ts';
import { useFormatTime } from '../../../parts/zone.ts';
import { DialogLead } from './dialog-lead.tsx';
import { resumeEffects } from './effects-of.tsx';
import { NoteField } from './note-field.tsx';
import { Refused } from '../../../parts/refused.tsx';

interface ControlDialogProps {
  progress: RunProgress;
  onClose: () => void;
  onDone: () => void;
}

/** Before a run goes on: who will be called. */
export function ResumeDialog({ progress, onClose, onDone }: ControlDialogProps) {
  const [note, setNote] = useState('');
  const nowMs = useMinute();
  const timeOf = useFormatTime();
  const resume = useMutation({ ...resumeRunMutation(), onSuccess: onDone });
  const reason = note.trim();
  const submit = () => resume.mutate({ path: { id: progress.runId }, body: reason === '' ? {} : { reason } });
  return (
    <Dialog
      title="Resume this run?"
      lead={<DialogLead progress={progress} countedAt={progress.asOf} />}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Stay paused</Button>
          <Button kind="ink" icon="play" data-autofocus disabled={resume.isPending} onClick={submit}>
            Resume run
          </Button>
        </>
      }
    >
      <Effects effects={resumeEffects(progress, { nowMs, timeOf })} />
      <NoteField value={note} onChange={setNote} />
      {resume.error !== null && <Refused error={resume.error} />}
    </Dialog>
  );
}
