import type { ListedApiKey } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatTimes } from './key-words.ts';

interface StillUsedBannerProps {
  apiKey: ListedApiKey;
  onReplace: () => void;
  onRevoke: () => void;
  onCalls: () => void;
}

/**
 * Banner of an expired or revoked key that is still used. Shows when, how often and from where requests with the key
 * were refused, and the owner of the key.
 */
export function StillUsedBanner({ apiKey, onReplace, onRevoke, onCalls }: StillUsedBannerProps) {
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
        and was refused {formatTimes(count)} since, last at <Time instant={lastAt} withSeconds />
        {lastFrom !== null && (
          <>
            {' '}
            from <span className="mono">{lastFrom}</span>
          </>
        )}
        .{' '}
        <span className="t2">
          {owner === null ? 'It has no owner' : `Contact ${owner}`}; no other key is affected.{' '}
          {state === 'active'
            ? 'The sender needs the current secret.'
            : `Replace ${name} with a new key of the same role and scope${state === 'expired' ? ', or revoke it' : ''}.`}
        </span>
      </div>
      <div className="acts">
        {state !== 'active' && (
          <Button small label={`Replace ${name}`} onClick={onReplace}>
            Replace…
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
        An old secret of {name}, rotated {at(rotatedAt)}, is no longer valid
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
