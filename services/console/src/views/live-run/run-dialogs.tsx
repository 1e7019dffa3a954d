import type { RunProgress } from '#client/types.gen.ts';
import { ExplainDialog } from '../../parts/overlays/explain-dialog.tsx';
import { CancelDialog } from './dialogs/cancel-dialog.tsx';
import { ChooseVariantDialog } from './dialogs/choose-variant-dialog.tsx';
import { PauseDialog } from './dialogs/pause-dialog.tsx';
import { ResumeDialog } from './dialogs/resume-dialog.tsx';
import { LimitsDialog } from './limits/limits-dialog.tsx';
import { isPausable } from './run-controls.tsx';
import type { RunDialog } from './use-run-dialog.ts';

interface RunDialogsProps {
  progress: RunProgress;
  dialog: RunDialog;
  isStale: boolean;
  onDone: () => void;
}

export function RunDialogs({ progress, dialog: { name, limit, open, close }, isStale, onDone }: RunDialogsProps) {
  const common = { progress, onClose: close, onDone };
  switch (name) {
    case null:
      return null;
    case 'pause':
      return <PauseDialog {...common} />;
    case 'resume':
      return <ResumeDialog {...common} />;
    case 'choose':
      return <ChooseVariantDialog {...common} />;
    case 'limits':
      return <LimitsDialog {...common} first={limit} />;
    case 'cancel':
      return (
        <CancelDialog {...common} isStale={isStale} onPause={isPausable(progress) ? () => open('pause') : undefined} />
      );
    case 'explain':
      return <ExplainDialog runId={progress.runId} onClose={close} />;
  }
}
