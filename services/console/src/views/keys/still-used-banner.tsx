import type { ListedApiKey } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { timesOf } from './key-words.ts';

interface StillUsedBannerProps {
  apiKey: ListedApiKey;
  onMakeAnew: () => void;
  onRevoke: () => void;
  onCalls: () => void;
}

/** Banner of an expired or revoked key that is still used: since when, how often, from where, and its owner. */
export function StillUsedBanner({ apiKey, onMakeAnew, onRevoke, onCalls }: StillUsedBannerProps) {
  const { name, owner, state, refusals } = apiKey;
  if (refusals === null) return null;
  const { count, lastAt, lastFrom } = refusals;
  return (
    <div className="banner bad" role="alert">
      <Icon name="warn" />
      <div className="min-w-0 wrap-anywhere">
        <b>
          <Ended apiKey={apiKey} />
        </b>{' '}
        and was refused {timesOf(count)} since, last at <Time instant={lastAt} withSeconds />
        {lastFrom !== null && (
          <>
            {' '}
            from <span className="mono">{lastFrom}</span>
          </>
        )}
        .{' '}
        <span className="t2">
          {owner === null ? 'It says no owner to ask' : `Ask ${owner}`}; no other key is affected.{' '}
          {state === 'active'
            ? 'What sends it needs the secret that it has now.'
            : `Make ${name} anew with the same role and scope${state === 'expired' ? ', or revoke it' : ''}.`}
        </span>
      </div>
      <div className="acts">
        {state !== 'active' && (
          <Button small label={`Make ${name} anew`} onClick={onMakeAnew}>
            Make anew…
          </Button>
        )}
        {state === 'expired' && (
          <Button small kind="bad" label={`Revoke ${name}, which has expired`} onClick={onRevoke}>
            Revoke…
          </Button>
        )}
        <Button small label={`Calls of ${name}, which is still used`} onClick={onCalls}>
          Its calls
        </Button>
      </div>
    </div>
  );
}

function Ended({ apiKey: { name, state, expiresAt, revokedAt, rotatedAt } }: Pick<StillUsedBannerProps, 'apiKey'>) {
  if (state === 'active')
    return (
      <>
        A secret of {name} from before it was rotated {at(rotatedAt)} opens nothing any more
      </>
    );
  return (
    <>
      {name} {state === 'revoked' ? 'was revoked' : 'expired'} {at(state === 'revoked' ? revokedAt : expiresAt)}
    </>
  );
}

function at(instant: string | null) {
  return instant === null ? null : <Time instant={instant} withDay />;
}
