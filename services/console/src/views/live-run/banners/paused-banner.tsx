import type { RunProgress } from '#client/types.gen.ts';
import { formatSentence } from '../../../parts/words/figures.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import { awaitsChoice } from '../figures/awaits-choice.ts';
import { Time } from '../../../parts/times/time.tsx';

interface PausedBannerProps {
  progress: RunProgress;
  onRaise: () => void;
  refusal: string | undefined;
}

/** Banner of a run that does not proceed: the cause, the time since when, and the next step. */
export function PausedBanner({ progress, onRaise, refusal }: PausedBannerProps) {
  const { state, stateReason, stateSince, inFlight, deadlineAt, stall, canary, variantChoice } = progress;
  const isBudget = stall?.by === 'budget';
  if (state === 'running' && canary === 'serving') return <CanaryBanner endsWithChoice={variantChoice !== null} />;
  if (state !== 'pausing' && state !== 'paused' && state !== 'cancelling') return null;
  return (
    <div className="banner info" role="status">
      <Icon name={state === 'cancelling' ? 'cancelled' : 'paused'} />
      <div>
        <b>{formatSentence(stateReason ?? state)}</b>{' '}
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
                : awaitsChoice(progress)
                  ? 'All other users wait until then, and get the chosen variant.'
                  : canary === 'waits'
                    ? 'The canary users have ended. No other user is called until a person continues the run.'
                    : 'No new call is made until a person resumes the run.'}
              {deadlineAt !== null && (
                <>
                  {' '}
                  Its deadline is still <Time instant={deadlineAt} />.
                </>
              )}
            </>
          ) : (
            <>{countOf(inFlight, 'batch', 'batches')} in flight; their results are still recorded.</>
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

function CanaryBanner({ endsWithChoice }: { endsWithChoice: boolean }) {
  return (
    <div className="banner info" role="status">
      <Icon name="running" />
      <div>
        <b>Canary: only the first users are called.</b>{' '}
        <span className="t2">
          {endsWithChoice
            ? 'When all of them have ended, the run pauses until a person chooses the variant of all other users.'
            : 'When all of them have ended, the run pauses, or continues if few enough of them failed.'}
        </span>
      </div>
    </div>
  );
}
