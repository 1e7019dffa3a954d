import { useMutation } from '@tanstack/react-query';
import { pauseRunMutation } from '#client/@tanstack/react-query.gen.ts';
import { Effects } from '../../../parts/overlays/effects.tsx';
import { useCurrentMinute } from '../../../parts/browser/now.ts';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { ControlDialog, type RunDialogProps } from './control-dialog.tsx';
import { pauseEffects } from './decision-effects.ts';
import { useCancelPreview } from './use-cancel-preview.ts';
import { WaitingByCountry } from './waiting-by-country.tsx';

/** Confirmation of a pause: batches that finish, users who wait, and the deadline. */
export function PauseDialog({ progress, onClose, onDone }: RunDialogProps) {
  const nowMs = useCurrentMinute();
  const timeOf = useFormatTime();
  const path = { id: progress.runId };
  const { data: preview } = useCancelPreview(progress.runId);
  const pause = useMutation({ ...pauseRunMutation(), onSuccess: onDone });
  return (
    <ControlDialog
      {...{ progress, onClose }}
      title="Pause this run?"
      keepLabel="Keep running"
      confirmLabel="Pause run"
      icon="pause"
      mutation={pause}
      onConfirm={(body) => pause.mutate({ path, body })}
    >
      <Effects effects={pauseEffects(progress, { preview, nowMs, timeOf })} />
      {preview && <WaitingByCountry preview={preview} />}
      <p className="t2">After a resume, the run continues where it stopped. No user gets a step twice.</p>
    </ControlDialog>
  );
}
