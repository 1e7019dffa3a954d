import { Link } from '@tanstack/react-router';
import type { RunProgress } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { MoreMenu } from './more-menu.tsx';

export type ControlDialog = 'pause' | 'resume' | 'limits' | 'cancel' | 'explain';

interface RunControlsProps {
  progress: RunProgress;
  /** Its numbers are old: pausing still works, what cannot be undone waits. */
  isStale: boolean;
  /** Why this key may not control runs. */
  refusal: string | undefined;
  onOpen: (dialog: ControlDialog) => void;
}

/** Returns whether the run has work under way that can be paused. */
export function isGoing({ state }: Pick<RunProgress, 'state'>): boolean {
  return state === 'running' || state === 'preparing';
}

/** What may be asked of a run in its state. */
export function RunControls({ progress, isStale, refusal, onOpen }: RunControlsProps) {
  const { state, runId, endedAt } = progress;
  const isPaused = state === 'paused' || state === 'pausing';
  const isUnderWay = isGoing(progress);
  return (
    <div className="row ml-auto">
      {isUnderWay && (
        <Button icon="pause" refusal={refusal} title="Key P" onClick={() => onOpen('pause')}>
          Pause
        </Button>
      )}
      {isPaused && (
        <Button kind="ink" icon="play" refusal={refusal} onClick={() => onOpen('resume')}>
          {progress.canary === 'waits' ? 'Go on…' : 'Resume'}
        </Button>
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
          refusal={refusal ?? (isStale ? 'Cancel waits for fresh numbers.' : undefined)}
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
