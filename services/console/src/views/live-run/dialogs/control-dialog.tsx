import { useState, type ReactNode } from 'react';
import type { RunProgress } from '#client/types.gen.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import type { IconName } from '../../../parts/icon/icon.tsx';
import { Refused } from '../../../parts/standing/refused.tsx';
import { DialogLead } from './dialog-lead.tsx';
import { NoteField } from './note-field.tsx';

export interface RunDialogProps {
  progress: RunProgress;
  onClose: () => void;
  onDone: () => void;
}

interface ControlDialogProps extends Omit<RunDialogProps, 'onDone'> {
  title: string;
  keepLabel: string;
  confirmLabel: string;
  icon: IconName;
  isWide?: boolean;
  /** False if the dialog needs more input. */
  isReady?: boolean;
  mutation: { isPending: boolean; error: unknown };
  /** @param body contains the reason, if one was typed */
  onConfirm: (body: { reason?: string }) => void;
  children: ReactNode;
}

export function ControlDialog(props: ControlDialogProps) {
  const { progress, title, keepLabel, confirmLabel, icon, mutation, onClose, onConfirm, children } = props;
  const { isWide = false, isReady = true } = props;
  const [note, setNote] = useState('');
  const reason = note.trim();
  return (
    <Dialog
      title={title}
      isWide={isWide}
      lead={<DialogLead progress={progress} countedAt={progress.asOf} />}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{keepLabel}</Button>
          <Button
            kind="ink"
            icon={icon}
            data-autofocus
            disabled={mutation.isPending || !isReady}
            onClick={() => onConfirm(reason === '' ? {} : { reason })}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
      <NoteField value={note} onChange={setNote} />
      {mutation.error !== null && <Refused error={mutation.error} />}
    </Dialog>
  );
}
