import { useMutation } from '@tanstack/react-query';
import { resumeRunMutation } from '#client/@tanstack/react-query.gen.ts';
import { Effects } from '../../../parts/overlays/effects.tsx';
import { useCurrentMinute } from '../../../parts/browser/now.ts';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { ControlDialog, type RunDialogProps } from './control-dialog.tsx';
import { resumeEffects } from './decision-effects.ts';
import { useCancelPreview } from './use-cancel-preview.ts';

/** Confirmation of a resume: the users that will be called, including those that are not fed yet. */
export function ResumeDialog({ progress, onClose, onDone }: RunDialogProps) {
  const isCanary = progress.canary === 'waits';
  const nowMs = useCurrentMinute();
  const timeOf = useFormatTime();
  const path = { id: progress.runId };
  const { data: preview } = useCancelPreview(progress.runId);
  const resume = useMutation({ ...resumeRunMutation(), onSuccess: onDone });
  return (
    <ControlDialog
      {...{ progress, onClose }}
      title={isCanary ? 'Continue with all other users?' : 'Resume this run?'}
      keepLabel="Stay paused"
      confirmLabel={isCanary ? 'Continue' : 'Resume run'}
      icon="play"
      mutation={resume}
      onConfirm={(body) => resume.mutate({ path, body })}
    >
      <Effects effects={resumeEffects(progress, { preview, nowMs, timeOf })} />
    </ControlDialog>
  );
}
