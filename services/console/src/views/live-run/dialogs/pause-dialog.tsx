import { useMutation } from '@tanstack/react-query';
import { pauseRunMutation } from '#client/@tanstack/react-query.gen.ts';
import { Effects } from '../../../parts/overlays/effects.tsx';
import { useMinute } from '../../../parts/browser/now.ts';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { ControlDialog, type RunDialogProps } from './control-dialog.tsx';
import { pauseEffects } from './effects-of.ts';
import { useCancelPreview } from './use-cancel-preview.ts';
import { WaitingByCountry } from './waiting-by-country.tsx';

/** Confirmation of a pause: what finishes, what waits, and which deadlines go on. */
export function PauseDialog({ progress, onClose, onDone }: RunDialogProps) {
  const nowMs = useMinute();
  const timeOf = useFormatTime();
  const path = { id: progress.runId };
  const { data: preview } = useCancelPreview(progress.runId);
  const pause = useMutation({ ...pauseRunMutation(), onSuccess: onDone });
  return (
    <ControlDialog
      {...{ progress, onClose }}
      title="Pause this run?"
      keep="Keep running"
      confirm="Pause run"
      icon="pause"
      asked={pause}
      onConfirm={(body) => pause.mutate({ path, body })}
    >
      <Effects effects={pauseEffects(progress, { preview, nowMs, timeOf })} />
      {preview && <WaitingByCountry preview={preview} />}
      <p className="t2">Resume goes on where it stopped. Nobody who got a step gets it again.</p>
    </ControlDialog>
  );
}
