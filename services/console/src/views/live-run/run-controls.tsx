import { Link } from '@tanstack/react-router';
import type { RunProgress } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { awaitsChoice } from './figures/awaits-choice.ts';
import { MoreMenu } from './more-menu.tsx';

export type ControlDialog = 'pause' | 'resume' | 'choose' | 'limits' | 'cancel' | 'explain';

interface RunControlsProps {
  progress: RunProgress;
  /** True if the numbers are outdated: pausing stays possible, irreversible actions are disabled. */
  isStale: boolean;
  refusal: string | undefined;
  onOpen: (dialog: ControlDialog) => void;
}

/** Returns true if the run has work under way that can be paused. */
export function isPausable({ state }: Pick<RunProgress, 'state'>): boolean {
  return state === 'running' || state === 'preparing';
}

export function RunControls({ progress, isStale, refusal, onOpen }: RunControlsProps) {
  const { state, runId, endedAt } = progress;
  const isPaused = state === 'paused' || state === 'pausing';
  const isUnderWay = isPausable(progress);
  return (
    <div className="row ml-auto phone:flex-wrap">
      {isUnderWay && (
        <Button icon="pause" refusal={refusal} title="Key P" onClick={() => onOpen('pause')}>
          Pause
        </Button>
      )}
      {isPaused && awaitsChoice(progress) ? (
        <Button kind="ink" icon="play" refusal={refusal} onClick={() => onOpen('choose')}>
          Choose a variant…
        </Button>
      ) : (
        isPaused && (
          <Button kind="ink" icon="play" refusal={refusal} onClick={() => onOpen('resume')}>
            {progress.canary === 'waits' ? 'Continue…' : 'Resume'}
          </Button>
        )
      )}
      {(isUnderWay || isPaused) && (
        <Button icon="limits" refusal={refusal} onClick={() => onOpen('limits')}>
          Limits…
        </Button>
      )}
      {(isUnderWay || isPaused) && (
        <Button
          kind="bad"
          icon="stop"
          refusal={refusal ?? (isStale ? 'Cancel is available when the numbers are current.' : undefined)}
          onClick={() => onOpen('cancel')}
        >
          Cancel…
        </Button>
      )}
      {endedAt !== null && (
        <Link className="btn ink" to="/runs/$runId/report" params={{ runId }}>
          <Icon name="audit" />
          Open report
        </Link>
      )}
      <MoreMenu progress={progress} onExplain={() => onOpen('explain')} />
    </div>
  );
}
