import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { cancelRunMutation } from '#client/@tanstack/react-query.gen.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import { Effects } from '../../../parts/overlays/effects.tsx';
import type { RunDialogProps } from './control-dialog.tsx';
import { DialogLead } from './dialog-lead.tsx';
import { cancelEffects } from './decision-effects.ts';
import { Refused } from '../../../parts/standing/refused.tsx';
import { useCancelPreview } from './use-cancel-preview.ts';
import { WaitingByCountry } from './waiting-by-country.tsx';

interface CancelDialogProps extends RunDialogProps {
  /** Opens the pause dialog instead, because a pause can be undone; undefined if the run is paused already. */
  onPause: (() => void) | undefined;
  /** True if the numbers are outdated: the effects are unknown then. */
  isStale: boolean;
}

const confirmationWord = 'cancel';
const pollEveryMs = 2000;

/** Confirmation of a cancellation, which cannot be undone: its effects on users, and a word to type. */
export function CancelDialog({ progress, onClose, onDone, onPause, isStale }: CancelDialogProps) {
  const [typed, setTyped] = useState('');
  const id = useId();
  const path = { id: progress.runId };
  // The preview is polled while the dialog is open; the focus stays where it is.
  const preview = useCancelPreview(progress.runId, pollEveryMs);
  const cancel = useMutation({ ...cancelRunMutation(), onSuccess: onDone });
  const isReady =
    typed.trim().toLowerCase() === confirmationWord && preview.data !== undefined && !isStale && !cancel.isPending;
  const countedAt = new Date(preview.dataUpdatedAt || Date.parse(progress.asOf)).toISOString();
  return (
    <Dialog
      title="Cancel this run for good?"
      lead={<DialogLead progress={progress} countedAt={countedAt} />}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{onPause ? 'Keep running' : 'Keep paused'}</Button>
          <Button kind="solid-bad" disabled={!isReady} onClick={() => cancel.mutate({ path, body: {} })}>
            Cancel run
          </Button>
        </>
      }
    >
      {preview.data ? (
        <>
          <Effects effects={cancelEffects(preview.data, progress)} />
          <WaitingByCountry preview={preview.data} />
        </>
      ) : (
        <div className="h-62.5 border border-line rounded-md" />
      )}
      <p className="t2">
        A cancelled run cannot be resumed.
        {onPause && (
          <>
            {' '}
            To stop for now,{' '}
            <button type="button" className="link" onClick={onPause}>
              pause it instead
            </button>
            .
          </>
        )}
      </p>
      <div>
        <label className="lab" htmlFor={id}>
          Type <b>{confirmationWord}</b> to confirm
        </label>
        <input
          id={id}
          className="inp w-full phone:h-10"
          value={typed}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && isReady) cancel.mutate({ path, body: {} });
          }}
        />
      </div>
      {isStale && (
        <p className="hint c-warn">The numbers are outdated. Cancel is available when they are current again.</p>
      )}
      {(cancel.error ?? preview.error) !== null && <Refused error={cancel.error ?? preview.error} />}
    </Dialog>
  );
}
