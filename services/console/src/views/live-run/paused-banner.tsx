import type { RunProgress } from '#client/types.gen.ts';
import { sentence } from '../../parts/words/figures.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { Time } from '../../parts/times/time.tsx';

interface PausedBannerProps {
  progress: RunProgress;
  onRaise: () => void;
  refusal: string | undefined;
}

/** Banner of a run that does not proceed: who or what stopped it, since when, and what happens meanwhile. */
export function PausedBanner({ progress, onRaise, refusal }: PausedBannerProps) {
  const { state, stateReason, stateSince, inFlight, deadlineAt, stall, canary } = progress;
  const isBudget = stall?.by === 'budget';
  if (state === 'running' && canary === 'serving') return <CanaryBanner />;
  if (state !== 'pausing' && state !== 'paused' && state !== 'cancelling') return null;
  return (
    <div className="banner info" role="status">
      <Icon name={state === 'cancelling' ? 'cancelled' : 'paused'} />
      <div>
        <b>{sentence(stateReason ?? state)}</b>{' '}
        {stateSince !== null && (
          <>
            Since <Time instant={stateSince} withSeconds />.{' '}
          </>
        )}
        <span className="t2">
          {state === 'paused' ? (
            <>
              {isBudget
                ? stall.nextStep
                : canary === 'waits'
                  ? 'These were the first. Nobody else is called until somebody lets it go on.'
                  : 'Nothing new starts until somebody resumes it.'}
              {deadlineAt !== null && (
                <>
                  {' '}
                  Its deadline stays <Time instant={deadlineAt} />.
                </>
              )}
            </>
          ) : (
            <>{countOf(inFlight, 'batch', 'batches')} under way; what they come to is still recorded.</>
          )}
        </span>
      </div>
      {isBudget && (
        <div className="acts">
          <Button small refusal={refusal} onClick={onRaise}>
            Raise the budget…
          </Button>
        </div>
      )}
    </div>
  );
}

function CanaryBanner() {
  return (
    <div className="banner info" role="status">
      <Icon name="running" />
      <div>
        <b>Canary: the first users alone.</b>{' '}
        <span className="t2">Once they have all ended, the run waits, or goes on where few enough of them failed.</span>
      </div>
    </div>
  );
}
