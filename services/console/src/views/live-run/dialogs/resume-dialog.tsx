import { useMutation } from '@tanstack/react-query';
import { resumeRunMutation } from '#client/@tanstack/react-query.gen.ts';
import { Effects } from '../../../parts/overlays/effects.tsx';
import { useMinute } from '../../../parts/browser/now.ts';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { ControlDialog, type RunDialogProps } from './control-dialog.tsx';
import { resumeEffects } from './effects-of.ts';
import { useCancelPreview } from './use-cancel-preview.ts';

/** Confirmation of a resume: the users that will be called, including those that are not fed yet. */
export function ResumeDialog({ progress, onClose, onDone }: RunDialogProps) {
  const isCanary = progress.canary === 'waits';
  const nowMs = useMinute();
  const timeOf = useFormatTime();
  const path = { id: progress.runId };
  const { data: preview } = useCancelPreview(progress.runId);
  const resume = useMutation({ ...resumeRunMutation(), onSuccess: onDone });
  return (
    <ControlDialog
      {...{ progress, onClose }}
      title={isCanary ? 'Go on with everybody else?' : 'Resume this run?'}
      keep="Stay paused"
      confirm={isCanary ? 'Go on' : 'Resume run'}
      icon="play"
      asked={resume}
      onConfirm={(body) => resume.mutate({ path, body })}
    >
      <Effects effects={resumeEffects(progress, { preview, nowMs, timeOf })} />
    </ControlDialog>
  );
}
